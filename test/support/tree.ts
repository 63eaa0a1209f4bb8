// The files that the house's own tests read: those of the repository, or the invented files of a
// fixture in the same form.

import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file with its path from the repository's root, with forward slashes. */
export type SourceFile = { readonly path: string; readonly text: string };

const root = dirname(dirname(import.meta.dirname));
const fixtures = join(root, 'test', 'fixtures');

const TEXT = /\.(?:tsx?|mts|js|mjs|json|md|css|html|svg|sql|yml|yaml)$/;
const CODE = /\.(?:tsx?|mts|js|mjs)$/;
/** Files that break the rules on purpose, and one that npm writes. */
const NOT_OURS = /^(?:test\/fixtures\/|package-lock\.json$)/;

/** Every text file that is committed or would be. */
export function readTree(): SourceFile[] {
  return listFiles()
    .filter((path) => TEXT.test(path) && !NOT_OURS.test(path))
    .filter((path) => existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

export function isCode(file: SourceFile): boolean {
  return CODE.test(file.path);
}

function listFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  try {
    const output = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
    return [...new Set(output.split('\0').filter(Boolean))];
  } catch {
    // A source archive has no git history, but the same files.
    return listFilesWithoutGit();
  }
}

function listFilesWithoutGit(): string[] {
  const exclude = ['**/node_modules', '**/coverage', '**/.cache', '**/.git', 'data', 'reports'];
  return globSync('**/*.*', { cwd: root, exclude }).map((path) => path.replaceAll('\\', '/'));
}

export function fixtureNames(folder: string): string[] {
  return readdirSync(join(fixtures, folder)).toSorted();
}

/**
 * A fixture states by `// lives at: <path>` in place of which repository file it is checked. It may
 * contain several files, one after another. The marker is the first line of its file.
 */
export function readFixture(folder: string, name: string): SourceFile[] {
  const text = readFileSync(join(fixtures, folder, name), 'utf8');
  const parts = text.split(/^(?=\/\/ lives at: )/m).filter((part) => part !== '');
  return parts.map((part) => ({ path: livesAt(part, name), text: part }));
}

function livesAt(part: string, name: string): string {
  const path = /^\/\/ lives at: (\S+)/.exec(part)?.[1];
  if (path === undefined) throw new Error(`the fixture ${name} does not say where it lives`);
  return path;
}
