import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../scripts/run.mjs';
import { Packed } from './support/packages/packed.ts';
import { publish, RefusingRegistry } from './support/packages/registry.ts';

/** How npm publishes the packages: by a job that proves a build, and by nobody else. */

let packed: Packed;
beforeAll(() => {
  packed = new Packed();
});
afterAll(() => packed.remove());

/** publint, in packages.test.ts, knows most of what npm does not understand. */
test.each(['miftah', 'simulator', 'client'])(
  '%s is taken by a dry run of npm, which asks the registry for no change',
  async (name) => {
    const registry = new RefusingRegistry();
    onTestFinished(() => registry.close());
    const to = { home: homeOf(name), registry: await registry.open() };
    const tarball = packed.tarballOf(name === 'miftah' ? 'miftah-0' : `miftah-${name}`);
    const tried = await publish(tarball, { ...to, flags: ['--dry-run'] });
    expect(tried.code, tried.stderr).toBe(0);
    expect(tried.stderr).toContain(
      `Publishing to ${to.registry} with tag latest and public access (dry-run)`,
    );
    // npm mends what it does not understand, and publishes that.
    expect(tried.stderr).not.toContain('auto-corrected');
    expect(registry.asked.filter((one) => !one.startsWith('GET '))).toEqual([]);
  },
);

test('nothing is published from a machine that can prove no build, even with an account', async () => {
  const registry = new RefusingRegistry();
  onTestFinished(() => registry.close());
  const to = { home: homeOf('account'), registry: await registry.open() };
  const account = `--${to.registry.slice('http:'.length)}:_authToken=invented`;
  const tarball = packed.tarballOf('miftah-client');
  const proving = await publish(tarball, { ...to, flags: [account] });
  expect([proving.code, proving.stderr]).toEqual([
    1,
    expect.stringContaining('Automatic provenance generation not supported'),
  ]);
  const changes = () => registry.asked.filter((one) => !one.startsWith('GET '));
  expect(changes()).toEqual([]);
  // The registry of these tests would have seen it.
  await publish(tarball, { ...to, flags: [account, '--provenance', 'false'] });
  expect(changes()).toEqual(['PUT /@miftah%2fclient']);
});

/** @returns what npm said in a job with this environment, in which it has published nothing */
async function triedIn(job: Readonly<Record<string, string>>): Promise<string> {
  const registry = new RefusingRegistry();
  onTestFinished(() => registry.close());
  const to = { home: homeOf('job'), registry: await registry.open() };
  const account = `--${to.registry.slice('http:'.length)}:_authToken=invented`;
  const { code, stderr } = await publish(packed.tarballOf('miftah-client'), {
    ...to,
    flags: [account],
    job,
  });
  expect([code, registry.asked.filter((one) => one.startsWith('PUT'))]).toEqual([1, []]);
  return stderr;
}

const JOBS: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['GitHub', { GITHUB_ACTIONS: 'true' }, 'requires "write" access to the "id-token" permission'],
  ['GitLab', { GITLAB_CI: 'true' }, 'requires "SIGSTORE_ID_TOKEN"'],
];

describe('in a job, npm publish', () => {
  test.each(JOBS)(
    'of %s says what docs/publishing.md has, where it is missing',
    async (_, job, says) => {
      expect(await triedIn(job)).toContain(says);
      const page = readFileSync(join(root, 'docs', 'publishing.md'), 'utf8');
      expect(page).toContain('`id-token: write`, on GitLab `id_tokens`');
    },
  );

  test('asks the job who it is, for the proof, and sends nothing without an answer', async () => {
    const identities = new RefusingRegistry();
    onTestFinished(() => identities.close());
    const url = await identities.open();
    await triedIn({
      GITHUB_ACTIONS: 'true',
      ACTIONS_ID_TOKEN_REQUEST_URL: `${url}token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'invented',
    });
    expect(identities.asked).toContain('GET /token?api-version=2.0&audience=sigstore');
  });
});

function homeOf(name: string): string {
  return mkdtempSync(join(packed.folder, `home-${name}-`));
}
