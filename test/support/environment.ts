import type { Finding } from './finding.ts';
import { lineOf, nameOf, ownerOf, visit } from './syntax.ts';
import type { SourceFile } from './tree.ts';

const GUARDED = /^service\/src\//;
/** main.ts passes the environment on, config.ts reads it, and tests use their own. */
const FREE = /^service\/src\/(?:main|config\/config)\.ts$|\.test\.ts$/;

/** Only one file may read settings, so that this file shows all settings. */
export function readsEnvironment(file: SourceFile): Finding[] {
  if (!GUARDED.test(file.path) || FREE.test(file.path)) return [];
  const findings: Finding[] = [];
  const add = (offset: number) => {
    const message = 'only config.ts reads the environment: take the setting as a parameter';
    findings.push({ rule: 'environment', path: file.path, line: lineOf(file, offset), message });
  };
  visit(file, {
    MemberExpression: (node) => {
      if (nameOf(node) === 'env' && isProcess(ownerOf(node))) add(node.start);
    },
    VariableDeclarator: (node) => {
      const parts = node.id.type === 'ObjectPattern' ? node.id.properties : [];
      const takesEnv = parts.some((one) => 'key' in one && nameOf(one.key) === 'env');
      if (takesEnv && isProcess(node.init)) add(node.start);
    },
    ImportDeclaration: ({ source, specifiers, start }) => {
      if (!/^(?:node:)?process$/.test(source.value)) return;
      if (specifiers.some((one) => 'imported' in one && nameOf(one.imported) === 'env')) add(start);
    },
  });
  return findings;
}

function isProcess(node: unknown): boolean {
  return nameOf(node) === 'process';
}
