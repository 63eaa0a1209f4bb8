import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { NOBODY } from './release-process.ts';

export interface TreeFile {
  readonly path: string;
  /** With the permissions, in octal. */
  readonly mode: string;
  readonly bytes: number;
}

/** All files below a folder, in the order of their paths. */
export function filesOf(folder: string): readonly TreeFile[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => fileAt(join(entry.parentPath, entry.name), folder))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function fileAt(path: string, folder: string): TreeFile {
  const { mode, size } = lstatSync(path);
  return { path: path.slice(folder.length + 1), mode: mode.toString(8), bytes: size };
}

/** The same with their contents. */
export function treeOf(folder: string): readonly (TreeFile & { readonly sha256: string })[] {
  return filesOf(folder).map((file) => {
    const contents = readFileSync(join(folder, file.path));
    return { ...file, sha256: createHash('sha256').update(contents).digest('hex') };
  });
}

const MEGABYTE = 1024 ** 2;

export function megabytesOf(files: readonly TreeFile[], folder: string): number {
  const inside = files.filter(({ path }) => path.startsWith(`${folder}/`));
  return inside.reduce((sum, { bytes }) => sum + bytes, 0) / MEGABYTE;
}

/** A folder that the user of a `ReleaseProcess` may write to. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-release-'));
  if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
  return folder;
}
