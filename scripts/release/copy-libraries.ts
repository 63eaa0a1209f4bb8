import { chmodSync, copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../run.mjs';
import type { Library } from './libraries.ts';
import { isPackageFile, readJson } from './read-json.ts';

/** What no program loads: descriptions of types, and the sources of compiled code. */
const NOT_RUN = /\.(?:[cm]?ts|map|flow|tsbuildinfo)$/i;
const TEXTS = /\.(?:md|markdown|ya?ml)$/i;
/** At the top of a library, and never loaded by a program that uses it. */
const FOLDERS_NOT_RUN = new Set(
  [
    'test',
    'tests',
    '__tests__',
    'docs',
    'doc',
    'example',
    'examples',
    'benchmark',
    'benchmarks',
  ].concat(['bench', '.github', '.vscode', 'node_modules']),
);
/** A copy of a library has to have them, whatever their name ends with. */
const LICENSES = /^(?:licen[cs]e|copying|notice|authors|patents)/i;

/**
 * Copies a library without the libraries inside it, which are copied by themselves.
 * @param lib the folder `lib` of a release
 * @throws Error when the folder of installed packages does not agree with the lockfile
 */
export function copyLibrary({ name, version, path }: Library, lib: string): void {
  const from = join(root, path);
  const installed = readJson(join(from, 'package.json'), isPackageFile);
  if (installed.name !== name || installed.version !== version) {
    throw new Error(
      `${path} is ${installed.name} ${installed.version}, and the lockfile has ${name} ${version}: ` +
        'run `npm ci`',
    );
  }
  for (const file of filesOf(from)) {
    const to = join(lib, path, file);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(from, file), to);
    chmodSync(to, 0o644);
  }
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile()) return isRun(entry.name) ? [entry.name] : [];
    if (!entry.isDirectory() || FOLDERS_NOT_RUN.has(entry.name)) return [];
    const inside = readdirSync(join(folder, entry.name), { recursive: true, withFileTypes: true });
    return inside
      .filter((file) => file.isFile() && isRun(file.name))
      .map((file) => join(file.parentPath, file.name).slice(folder.length + 1));
  });
}

function isRun(name: string): boolean {
  return !NOT_RUN.test(name) && (LICENSES.test(name) || !TEXTS.test(name));
}
