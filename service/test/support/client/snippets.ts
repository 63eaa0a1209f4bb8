import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDocument } from '../../docs/documents.ts';
import { temporaryFolder, type AtEnd } from '../at-end.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The blocks of a language in a document, in their order. */
export function snippetsOf(path: string, language: string): readonly string[] {
  const blocks = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g');
  return [...readDocument(path).matchAll(blocks)].map(([, code = '']) => code);
}

/**
 * The path of a module of somebody who has installed the client and Express, or other packages, for
 * the test.
 * @param place a folder below the root with packages that the root does not have
 */
export function moduleOf(
  code: string,
  packages = ['@miftah/client', 'express'],
  place = '',
  atEnd?: AtEnd,
): string {
  const folder = temporaryFolder('snippet', atEnd);
  const modules = join(folder, 'node_modules');
  for (const name of packages) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    const found = [place, ''].map((below) => join(ROOT, below, 'node_modules', name));
    symlinkSync(found.find(existsSync) ?? '', join(modules, name));
  }
  writeFileSync(join(folder, 'program.mjs'), code);
  return join(folder, 'program.mjs');
}
