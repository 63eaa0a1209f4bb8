import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDocument } from '../../docs/documents.ts';
import { temporaryFolder } from '../at-end.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The blocks of a language in a document, in their order. */
export function snippetsOf(path: string, language: string): readonly string[] {
  const blocks = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g');
  return [...readDocument(path).matchAll(blocks)].map(([, code = '']) => code);
}

/** The path of a module of somebody who has installed the client and Express, for the test. */
export function moduleOf(code: string): string {
  const folder = temporaryFolder('snippet');
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@miftah'), { recursive: true });
  symlinkSync(join(ROOT, 'client'), join(modules, '@miftah', 'client'));
  symlinkSync(join(ROOT, 'node_modules', 'express'), join(modules, 'express'));
  writeFileSync(join(folder, 'program.mjs'), code);
  return join(folder, 'program.mjs');
}
