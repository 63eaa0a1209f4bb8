import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../scripts/run.mjs';

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
