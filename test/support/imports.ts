// Finds every reference from one file to another: imports, re-exports, imported types, and the
// addresses of worker files.

import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { lineOf, nameOf, ownerOf, visit } from './syntax.ts';
import type { SourceFile } from './tree.ts';

export type Import = {
  /**
   * For a relative import the path from the repository's root; for Node's own modules `node:...`;
   * otherwise the package's name as written. Undefined when it is computed.
   */
  readonly target: string | undefined;
  readonly isPath: boolean;
  /** Whether the import is only of types, so that nothing is loaded when the program runs. */
  readonly typeOnly: boolean;
  readonly line: number;
};

type Source = { type: string; start: number; value?: unknown };

/** In the order of the text. */
export function readImports(file: SourceFile): Import[] {
  const imports: Import[] = [];
  const add = (source: Source, typeOnly: boolean) => {
    const specifier = typeof source.value === 'string' ? source.value : undefined;
    const isPath = specifier?.startsWith('.') ?? false;
    const target = specifier === undefined ? undefined : resolve(file, specifier);
    imports.push({ target, isPath, typeOnly, line: lineOf(file, source.start) });
  };
  visit(file, {
    // `type` inside the braces still loads the module, so only a `type` before them counts.
    ImportDeclaration: (node) => add(node.source, node.importKind === 'type'),
    ExportAllDeclaration: (node) => add(node.source, node.exportKind === 'type'),
    ExportNamedDeclaration: (node) => node.source && add(node.source, node.exportKind === 'type'),
    TSImportType: (node) => add(node.source, true),
    ImportExpression: (node) => add(node.source, false),
    CallExpression: ({ callee, arguments: [source] }) => {
      if (source === undefined) return;
      if (isLoad(callee) || (isAddress(callee) && hasText(source))) add(source, false);
    },
    NewExpression: (node) => {
      const source = node.arguments[0];
      if (source !== undefined && isModuleAddress(node.callee, source)) add(source, false);
    },
  });
  return imports.toSorted((one, other) => one.line - other.line);
}

function resolve(file: SourceFile, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file.path), specifier);
  if (isBuiltin(specifier) && !specifier.startsWith('node:')) return `node:${specifier}`;
  return specifier;
}

function isLoad(callee: unknown): boolean {
  return nameOf(callee) === 'require';
}

/**
 * `require.resolve(...)` and `import.meta.resolve(...)` load nothing by themselves, so a computed
 * address is allowed in them: importing the result is reported as a computed import.
 */
function isAddress(callee: unknown): boolean {
  if (nameOf(callee) !== 'resolve') return false;
  const owner = ownerOf(callee);
  return nameOf(owner) === 'require' || isImportMeta(owner);
}

/** `new URL('./worker.ts', ...)`, which is used to start a worker. */
function isModuleAddress(callee: unknown, source: Source): boolean {
  return nameOf(callee) === 'URL' && hasText(source) && /^\.+\/.*\.m?[jt]s$/.test(source.value);
}

function hasText(source: Source): source is Source & { value: string } {
  return typeof source.value === 'string';
}

function isImportMeta(node: unknown): boolean {
  return (
    typeof node === 'object' && node !== null && 'type' in node && node.type === 'MetaProperty'
  );
}
