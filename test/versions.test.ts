import { expect, test } from 'vitest';
import { raiseVersion } from '../scripts/release/raise-version.ts';
import { read, ROOT, versionsIn } from './support/packages/versions.ts';

/** One version for all packages. At length one command cuts a release: cut-release.test.ts. */

test('all packages, that of Python too, and their lock have one version', () => {
  expect(versionsIn(ROOT).size).toBe(1);
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
