import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDocument } from '../../docs/documents.ts';
import { temporaryFolder } from '../at-end.ts';

const CLIENT = fileURLToPath(new URL('../../../../client', import.meta.url));

/** The blocks of a language in a document, in their order. */
export function snippetsOf(path: string, language: string): readonly string[] {
  const blocks = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g');
  return [...readDocument(path).matchAll(blocks)].map(([, code = '']) => code);
}

/** The path of a module of somebody who has installed the client, for the test. */
export function moduleOf(code: string): string {
  const folder = temporaryFolder('snippet');
  mkdirSync(join(folder, 'node_modules', '@miftah'), { recursive: true });
  symlinkSync(CLIENT, join(folder, 'node_modules', '@miftah', 'client'));
  writeFileSync(join(folder, 'program.mjs'), code);
  return join(folder, 'program.mjs');
}
