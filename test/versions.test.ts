import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
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

/** Whatever a version can be in, and the command itself, as they are in the checkout. */
const COPIED = [
  '{.,*}/package.json',
  'package-lock.json',
  '*.md',
  'docs/**/*.md',
  'deploy/kubernetes/**/*.yaml',
  'scripts/**/*.{ts,mjs}',
];

function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-version-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of globSync(COPIED, { cwd: ROOT, exclude: ['**/node_modules/**'] })) {
    cpSync(join(ROOT, name), join(folder, name));
  }
  return folder;
}

/** Each line that has this version, with its place. */
function linesWith(folder: string, version: string): readonly string[] {
  const text = globSync(['README.md', 'docs/**/*.md', 'deploy/**/*.yaml'], { cwd: folder });
  return text.flatMap((name) =>
    read(folder, name)
      .split('\n')
      .flatMap((line) =>
        line.includes(`-${version}`) || line.includes(`:${version}`) ? name : [],
      ),
  );
}

test('all packages and their lock have one version', () => {
  expect(versionsIn(ROOT).size).toBe(1);
});

test('the command raises all of them, and opens a section of the changelog', () => {
  const folder = copy();
  const [version = ''] = versionsIn(folder);
  const next = version.replace(/^\d+/, (number) => String(Number(number) + 1));
  const named = linesWith(folder, version);
  expect(named).toContain('deploy/kubernetes/manifests/3-service.yaml');
  const command = spawnSync(process.execPath, ['scripts/raise-version.ts', next], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([command.status, command.stderr]).toEqual([0, '']);
  expect(command.stdout).toContain(`have version ${next}. Next: npm test`);
  expect([...versionsIn(folder)]).toEqual([next]);
  expect(linesWith(folder, next)).toEqual(named);
  expect(linesWith(folder, version)).toEqual([]);
  expect(read(folder, 'CHANGELOG.md')).toMatch(
    new RegExp(`^## Unreleased\\n\\n## ${next} - \\d{4}-\\d\\d-\\d\\d\\n`, 'm'),
  );
  // Nothing else of the lock has changed.
  const [before, after] = [ROOT, folder].map((one) => read(one, 'package-lock.json').split('\n'));
  expect(after?.length).toBe(before?.length);
  expect(() => raiseVersion(folder, next.replace(/^\d+/, '99'), '2026-01-31')).toThrow(
    'nothing below "Unreleased"',
  );
});

test('each script that runs a source sets the checkout up before, or is run by one that does', () => {
  const { scripts } = JSON.parse(read(ROOT, 'package.json')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const sources = Object.keys(scripts).filter((name) =>
    /\S+\.ts\b|start\.mjs/.test(scripts[name] ?? ''),
  );
  expect(sources).toContain('raise-version');
  expect(sources.filter((name) => !scripts[`pre${name}`]?.includes('scripts/setup.mjs'))).toEqual(
    [],
  );
});

test.each([
  ['', 'Give the next version'],
  ['v2.0.0', 'Give the next version'],
  ['0.0.9', 'is not after'],
])('%j is refused', (next, message) => {
  expect(() => raiseVersion(ROOT, next, '2026-01-31')).toThrow(message);
});
