import { parseSync, Visitor, type Comment, type Program, type VisitorObject } from 'oxc-parser';
import type { SourceFile } from './tree.ts';

export type Parsed = {
  readonly program: Program;
  readonly comments: readonly Comment[];
};

const parsed = new WeakMap<SourceFile, Parsed>();

/** Parses a file only once, however many rules use it. */
export function parse(file: SourceFile): Parsed {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const { program, comments, errors } = parseSync(file.path, file.text);
  if (errors[0] !== undefined) throw new Error(`${file.path}: ${errors[0].message}`);
  parsed.set(file, { program, comments });
  return { program, comments };
}

export function visit(file: SourceFile, visitor: VisitorObject): void {
  new Visitor(visitor).visit(parse(file).program);
}

/** The line of a position in the text, counted from 1. */
export function lineOf(file: SourceFile, offset: number): number {
  return file.text.slice(0, offset).split('\n').length;
}

export function placeAt(file: SourceFile, offset: number, message: string) {
  return { line: lineOf(file, offset), message };
}

/** The name of an identifier, or of the property that a member expression reads. */
export function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Identifier') return textOr(node['name']);
  if (node.type === 'Literal') return textOr(node['value']);
  return node.type === 'MemberExpression' ? nameOf(node['property']) : undefined;
}

/** The object that a member expression reads from; undefined for every other node. */
export function ownerOf(node: unknown): unknown {
  return isNode(node) && node.type === 'MemberExpression' ? node['object'] : undefined;
}

function isNode(node: unknown): node is { type: string; [key: string]: unknown } {
  return typeof node === 'object' && node !== null && 'type' in node;
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
