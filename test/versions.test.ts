import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { raiseVersion } from '../scripts/release/raise-version.ts';

/** One version for all packages, raised by one command. */

const ROOT = join(import.meta.dirname, '..');

interface Package {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');

/** Every version in the project's own packages and their lock, with its place. */
function versionsIn(folder: string): ReadonlySet<string> {
  const { workspaces = [] } = JSON.parse(read(folder, 'package.json')) as {
    readonly workspaces?: readonly string[];
  };
  const files = ['.', ...workspaces].map((name) => read(folder, join(name, 'package.json')));
  const { packages } = JSON.parse(read(folder, 'package-lock.json')) as {
    readonly packages: Readonly<Record<string, Package>>;
  };
  const listed = files.map((text) => JSON.parse(text) as Package);
  const locked = ['', ...workspaces]
    .map((name) => packages[name])
    .filter((one) => one !== undefined);
  return new Set(
    [...listed, ...locked].flatMap(({ version, dependencies = {} }) => [
      version,
      ...Object.entries(dependencies).flatMap(([name, own]) =>
        name.startsWith('@miftah/') ? [own] : [],
      ),
    ]),
  );
}

function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-version-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const packages = globSync('{.,*}/package.json', { cwd: ROOT });
  for (const name of [...packages, 'package-lock.json', 'CHANGELOG.md']) {
    cpSync(join(ROOT, name), join(folder, dirname(name), name.split('/').at(-1) ?? ''));
  }
  return folder;
}

test('all packages and their lock have one version', () => {
  expect(versionsIn(ROOT).size).toBe(1);
});

test('the command raises all of them, and opens a section of the changelog', () => {
  const folder = copy();
  const [version = ''] = versionsIn(folder);
  const next = version.replace(/^\d+/, (number) => String(Number(number) + 1));
  for (const [path, text] of raiseVersion(folder, next, '2026-01-31')) writeFileSync(path, text);
  expect([...versionsIn(folder)]).toEqual([next]);
  expect(read(folder, 'CHANGELOG.md')).toContain(`## Unreleased\n\n## ${next} - 2026-01-31\n`);
  // Nothing else of the lock has changed.
  const [before, after] = [ROOT, folder].map((one) => read(one, 'package-lock.json').split('\n'));
  expect(after?.length).toBe(before?.length);
  expect(() => raiseVersion(folder, next.replace(/^\d+/, '99'), '2026-01-31')).toThrow(
    'nothing below "Unreleased"',
  );
});

test.each([
  ['', 'Give the next version'],
  ['v2.0.0', 'Give the next version'],
  ['0.0.9', 'is not after'],
])('%j is refused', (next, message) => {
  expect(() => raiseVersion(ROOT, next, '2026-01-31')).toThrow(message);
});
