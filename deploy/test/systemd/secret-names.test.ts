import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../scripts/run.mjs';
import { temporaryFolder } from '../../../service/test/support/at-end.ts';

/**
 * The files of secrets have the same names in all that we ship, by the settings that
 * docs/configuration.md lists. Those of `miftah init` the unit starts with (going-live.test.ts), and
 * it refuses any other name.
 */

const textOf = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');
const fileOf = (setting: string) => setting.toLowerCase().replaceAll('_', '-');
const allOf = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, one = '', other = '']) => [one, other] as const);
const sorted = (pairs: readonly (readonly [string, string])[]) => pairs.map(String).toSorted();

const SECRETS = allOf(
  textOf('docs', 'configuration.md'),
  /^- `([A-Z_]+)`, `([A-Z_]+)_FILE` \(/gm,
).map(([name]) => name);
const PAIRS = sorted(SECRETS.map((name) => [fileOf(name), name]));

it('the unit hands over each secret of the settings, and names them where one is strange', () => {
  const script = textOf('deploy', 'systemd', 'with-secrets');
  expect(sorted(allOf(script, /^ +([a-z-]+)\) export (\w+)_FILE="\$file" ;;$/gm))).toEqual(PAIRS);
  const [, said = ''] = /Its files are ([^:]+):/.exec(script.replaceAll(/" \\\n +"/g, ' ')) ?? [];
  const named = said.split(/,\s+| and /).map((name) => name.trim());
  expect(named.toSorted()).toEqual(SECRETS.map(fileOf).toSorted());
});

it.each<[string, string, { secrets?: string[]; environment?: Record<string, string> }?]>([
  ['is a secret', '', { secrets: ['database-url'] }],
  ['is in a file that changes while it runs', 'DATABASE_URL_FILE=/etc/miftah/database-url\n'],
  ['is in the settings', 'LOG_LEVEL=info\n  export DATABASE_URL = "postgres://a@b/c"\n'],
  ['is in the environment', '', { environment: { DATABASE_URL: 'postgres://a@b/c' } }],
])('one more instance starts where DATABASE_URL %s', (_, settings, more) => {
  expect(oneMore(settings, more)).toMatchObject({
    status: 0,
    stdout: 'NEW_STORE=no\n',
    stderr: '',
  });
});

it.each([
  ['is not set', ''],
  ['is a comment', '# DATABASE_URL=postgres://a@b/c\n'],
  ['is empty', 'DATABASE_URL=\nMY_DATABASE_URL=postgres://a@b/c\n'],
])('one more instance ends where DATABASE_URL %s, and says both places', (_, settings) => {
  const { status, stdout, stderr } = oneMore(settings);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^miftah could not run: one more instance needs the database/);
  expect(stderr).toMatch(
    /\/etc\/miftah\/secrets\/database-url, or set DATABASE_URL_FILE in \S+\.env,/,
  );
});

/** The script of the unit with a folder of secrets, and a program in the place of the service. */
function oneMore(
  settings: string,
  { secrets = [], environment = {} }: { secrets?: string[]; environment?: object } = {},
) {
  const folder = temporaryFolder('one-more');
  const file = join(folder, 'miftah.env');
  writeFileSync(file, settings);
  mkdirSync(join(folder, 'secrets'));
  for (const name of secrets) writeFileSync(join(folder, 'secrets', name), '');
  const script = join(root, 'deploy', 'systemd', 'with-secrets');
  return spawnSync('sh', [script, '--database-in', file, 'sh', '-c', 'echo NEW_STORE=$NEW_STORE'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', SECRETS_PREFIX: `${folder}/secrets/`, ...environment },
  });
}

it('the page has the same table', () => {
  const rows = allOf(textOf('docs', 'systemd.md'), /^\| `([a-z-]+)` +\| `([A-Z_]+)` +\|/gm);
  expect(sorted(rows)).toEqual(PAIRS);
});

it.each([
  [
    'compose.yaml',
    allOf(textOf('deploy', 'image', 'compose.yaml'), /(\w+)_FILE: \/run\/secrets\/([a-z-]+)/g)
      .map(([name, file]) => [file, name] as const)
      .filter(([, name]) => name !== 'POSTGRES_PASSWORD'),
  ],
  [
    'the manifests of Kubernetes',
    allOf(
      textOf('deploy', 'kubernetes', 'manifests', '1-settings.yaml'),
      /(\w+)_FILE: "?\/run\/secrets\/([a-z-]+)/g,
    ).map(([name, file]) => [file, name] as const),
  ],
])('%s names files of secrets so too', (_, pairs) => {
  expect(pairs.length).toBeGreaterThan(1);
  for (const pair of pairs) expect(PAIRS).toContain(String(pair));
});

it('each unit that runs miftah, and miftah-admin, has the same file of variables for Node', () => {
  const kit = join('deploy', 'systemd');
  const units = readdirSync(join(root, kit)).filter((name) => name.endsWith('.service'));
  const programs = [...units, 'miftah-admin'].filter((name) =>
    textOf(kit, name).includes('with-secrets'),
  );
  expect(programs).toHaveLength(5);
  for (const name of programs) {
    expect(textOf(kit, name), name).toMatch(/\bEnvironmentFile=-\/etc\/miftah\/environment\s/);
  }
});
