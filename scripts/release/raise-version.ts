import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasMembers, readJson } from './read-json.ts';

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;
/** Files and images are named by the version, and documents have these names. */
const NAMING = ['README.md', 'docs/**/*.md', 'deploy/kubernetes/**/*.yaml'];
const OF_PACKAGE = /\bmiftah(?:-[a-z]+)?[-:]\d/;
const OF_PYTHON = join('clients', 'python', 'pyproject.toml');
const UNRELEASED = '## Unreleased\n';

interface Root {
  readonly version: string;
  readonly workspaces: readonly string[];
}

function isRoot(value: unknown): value is Root {
  return hasMembers(value, ['version', 'workspaces']);
}

/**
 * What the files have with the next version. Nothing is written here, so that a fault changes no
 * file.
 * @param today as the changelog has dates
 * @throws Error that says what to do
 */
export function raiseVersion(
  folder: string,
  next: string,
  today: string,
): ReadonlyMap<string, string> {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const { version, workspaces } = readJson(join(folder, 'package.json'), isRoot);
  requireNext(version, next);
  const packages = ['.', ...workspaces].map((name) => join(name, 'package.json'));
  const files = new Map<string, string>();
  for (const name of packages) {
    files.set(join(folder, name), withVersion(read(name), version, next));
  }
  files.set(join(folder, OF_PYTHON), withPythonVersion(read(OF_PYTHON), version, next));
  const lock = 'package-lock.json';
  files.set(join(folder, lock), withLockedVersions(read(lock), workspaces, version, next));
  for (const name of globSync(NAMING, { cwd: folder })) {
    const text = read(name);
    if (OF_PACKAGE.test(text)) files.set(join(folder, name), withNames(text, version, next));
  }
  const changelog = 'CHANGELOG.md';
  files.set(join(folder, changelog), withSection(read(changelog), next, today));
  return files;
}

function requireNext(version: string, next: string): void {
  if (!VERSION.test(next)) {
    throw new Error(`Give the next version, such as ${version.replace(/\d+$/, '99')}.`);
  }
  const [now, then] = [version, next].map((one) => one.split('.').map(Number));
  const place = now?.findIndex((number, index) => number !== then?.[index]) ?? -1;
  if (place === -1 || (then?.[place] ?? 0) < (now?.[place] ?? 0)) {
    throw new Error(`${next} is not after ${version}, which this is.`);
  }
}

/** The package's own version, and those of our packages that it needs. */
function withVersion(text: string, version: string, next: string): string {
  return text
    .replaceAll(`"version": "${version}"`, `"version": "${next}"`)
    .replaceAll(new RegExp(`("@miftah/[a-z]+": )"${escaped(version)}"`, 'g'), `$1"${next}"`);
}

function withNames(text: string, version: string, next: string): string {
  const name = new RegExp(`\\b(miftah(?:-[a-z]+)?[-:])${escaped(version)}\\b`, 'g');
  return text.replaceAll(name, `$1${next}`);
}

function withPythonVersion(text: string, version: string, next: string): string {
  return text.replace(`\nversion = "${version}"\n`, `\nversion = "${next}"\n`);
}

const escaped = (version: string) => version.replaceAll('.', '[.]');

/** Only entries of workspaces: another package may have the same version by chance. */
function withLockedVersions(
  text: string,
  workspaces: readonly string[],
  version: string,
  next: string,
): string {
  const entries = ['', ...workspaces].map((name) =>
    name === ''
      ? /^\{\n[\s\S]*?^ {4}\}/m
      : new RegExp(String.raw`^ {4}"${name}": \{\n[\s\S]*?^ {4}\}`, 'm'),
  );
  return entries.reduce(
    (all, entry) => all.replace(entry, (own) => withVersion(own, version, next)),
    text,
  );
}

function withSection(text: string, next: string, today: string): string {
  const [, after] = text.split(UNRELEASED);
  const [own = ''] = after?.split(/^## /m) ?? [];
  if (own.trim() === '') throw new Error('CHANGELOG.md has nothing below "Unreleased".');
  return text.replace(UNRELEASED, `${UNRELEASED}\n## ${next} - ${today}\n`);
}
