import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { raiseVersion } from '../scripts/release/raise-version.ts';
import { read, ROOT, versionsIn, type Package } from './support/packages/versions.ts';

/** What git has, without what a release has nothing of, and what set-up has built. */
const LEFT_OUT = /^(?:docs\/images|bench\/results|site|test|[a-z]+\/test)\//;
const BUILT = ['console/dist'];

/** A checkout of its own, with the libraries of this one. */
function checkout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-version-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tracked = git(ROOT, 'ls-files').filter((name) => !LEFT_OUT.test(name));
  for (const name of [...tracked.filter((one) => existsSync(join(ROOT, one))), ...BUILT]) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@miftah') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  // Those of the workspaces are relative.
  cpSync(join(ROOT, 'node_modules/@miftah'), join(modules, '@miftah'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  git(folder, 'init', '--quiet');
  // Nothing of git goes on in the folder when it is removed.
  git(folder, 'config', 'maintenance.auto', 'false');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'all');
  return folder;
}

const WHO = ['-c', 'user.name=Miftah', '-c', 'user.email=miftah@example.org'];

/** @returns the lines of what git says */
function git(folder: string, ...args: readonly string[]): readonly string[] {
  const said = execFileSync('git', [...WHO, ...args], { cwd: folder, encoding: 'utf8' });
  return said.split('\n').filter(Boolean);
}

function raise(folder: string, next: string) {
  const AUTHOR = { GIT_AUTHOR_NAME: 'Miftah', GIT_AUTHOR_EMAIL: 'miftah@example.org' };
  const COMMITTER = { GIT_COMMITTER_NAME: 'Miftah', GIT_COMMITTER_EMAIL: 'miftah@example.org' };
  const env = { ...process.env, ...AUTHOR, ...COMMITTER };
  const args = ['scripts/raise-version.ts', next];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env });
}

/** What a packed package says of itself. */
function packed(folder: string, name: string): Package {
  const args = ['-xOf', join(folder, 'dist', name), 'package/package.json'];
  return JSON.parse(execFileSync('tar', args, { encoding: 'utf8' })) as Package;
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

test('one command cuts a release: versions, changelog, packages, commit and tag', () => {
  const folder = checkout();
  const [version = ''] = versionsIn(folder);
  const next = version.replace(/^\d+/, (number) => String(Number(number) + 1));
  const named = linesWith(folder, version);
  expect(named).toContain('deploy/kubernetes/manifests/3-service.yaml');

  writeFileSync(join(folder, 'notes.txt'), '');
  const refused = raise(folder, next);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('notes.txt')]);
  expect([...versionsIn(folder)]).toEqual([version]);
  rmSync(join(folder, 'notes.txt'));

  const { status, stdout, stderr } = raise(folder, next);
  expect([status, stderr]).toEqual([0, '']);
  expect([...versionsIn(folder)]).toEqual([next]);
  expect(linesWith(folder, next)).toEqual(named);
  expect(linesWith(folder, version)).toEqual([]);
  expect(read(folder, 'CHANGELOG.md')).toMatch(
    new RegExp(`^## Unreleased\\n\\n## ${next} - \\d{4}-\\d\\d-\\d\\d\\n`, 'm'),
  );
  // Nothing else of the lock has changed.
  const [before, after] = [ROOT, folder].map((one) => read(one, 'package-lock.json').split('\n'));
  expect(after?.length).toBe(before?.length);

  for (const name of ['miftah', 'miftah-simulator', 'miftah-client']) {
    expect(stdout).toContain(join(folder, 'dist', `${name}-${next}.tgz`));
    expect(packed(folder, `${name}-${next}.tgz`).version).toBe(next);
  }
  expect(git(folder, 'status', '--porcelain')).toEqual([]);
  expect(git(folder, 'log', '-1', '--format=%s %D')).toEqual([
    expect.stringMatching(`^chore: version ${next} .*tag: v${next}`),
  ]);
  expect(() => raiseVersion(folder, next.replace(/^\d+/, '99'), '2026-01-31')).toThrow(
    'nothing below "Unreleased"',
  );
});
