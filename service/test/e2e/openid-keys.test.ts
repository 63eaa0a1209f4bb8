import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose';
import { expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import type { Environment } from '../../../scripts/rehearsal.ts';
import { parseSigningKeys, SIGNING_KEYS, type SigningKeys } from '../../src/account/openid-keys.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { HOUR_MS, type Ms } from '../../src/values/time.ts';
import { idTokenOf } from '../support/openid/demo-sign-in.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { runMiftah } from '../support/programs/operator.ts';
import { programFile } from '../../../scripts/program-files.ts';
import { findFreePort } from '../support/programs/service-process.ts';
import { openListening } from '../support/service/listening-service.ts';

/** `miftah keys rotate --openid`, while applications sign people in. */

const ROTATE = ['keys', 'rotate', '--openid'];
/** Instances read the keys again after ten seconds. */
const LEARN = { interval: 1000 };

const keysOf = async (origin: string) =>
  (await (await fetch(`${origin}/openid/jwks`)).json()) as JSONWebKeySet;

const signer = (token: string) => decodeProtectedHeader(token).kid;

it('tokens of before are good, and a client that keeps the list of keys knows the next key already', async () => {
  const { origin, dataDir } = await openListening({ settings: { OPENID: 'on' } });
  const settings = { DATA_DIR: dataDir };
  const early = await runMiftah(ROTATE, settings);
  expect([early.code, early.err]).toEqual([1, expect.stringContaining('no signing keys yet')]);
  const kept = await keysOf(origin);
  const before = await idTokenOf(origin);
  const refused = await runMiftah(ROTATE, settings);
  expect(refused.err).toMatch(/^Clients may not know the next key before 20/);
  expect(await keysOf(origin)).toEqual(kept);

  expect(await runMiftah([...ROTATE, '--yes'], settings)).toMatchObject({ code: 0, err: '' });
  await expect.poll(() => keysOf(origin), LEARN).not.toEqual(kept);
  const after = await idTokenOf(origin);
  expect(signer(after)).not.toBe(signer(before));
  await jwtVerify(after, createLocalJWKSet(kept));
  await jwtVerify(before, createLocalJWKSet(await keysOf(origin)));
  expect((await runMiftah(['audit'], settings)).out).toContain('openid.keys_rotated');
});

it('two instances on PostgreSQL: no sign-in fails at any of them while they learn it', async () => {
  const port = await findFreePort();
  const common = { DATABASE_URL: await emptyDatabase(), SECRET_KEY: 'ab'.repeat(32) };
  const settings = { ...common, OPENID: 'on', PUBLIC_URL: `http://127.0.0.1:${port}` };
  const first = await openListening({ port, settings });
  const second = await openListening({ settings });
  const origins = [first.origin, second.origin];
  const kept = createLocalJWKSet(await keysOf(second.origin));
  const before = signer(await idTokenOf(first.origin));
  const operator: Environment = { ...common, DATA_DIR: first.dataDir };
  const rotated = await runMiftah([...ROTATE, '--yes'], operator);
  expect(rotated, rotated.err).toMatchObject({ code: 0 });
  const seen = new Map<string, unknown>();
  const signAll = async () => {
    for (const origin of origins) {
      const token = await idTokenOf(first.origin, origin);
      await jwtVerify(token, kept);
      const now = createLocalJWKSet(await keysOf(origins.find((one) => one !== origin) ?? ''));
      await jwtVerify(token, now);
      seen.set(origin, signer(token));
    }
    return [...seen.values()].every((key) => key !== before);
  };
  await expect.poll(signAll, LEARN).toBe(true);
  expect(new Set(seen.values()).size).toBe(1);
  expect(await keysOf(first.origin)).toEqual(await keysOf(second.origin));
});

it('right after another one it is refused, and drops no key of before', async () => {
  const { origin, dataDir } = await openListening({ settings: { OPENID: 'on' } });
  await keysOf(origin);
  const store = await openStoreBeside({ dataDir });
  const rotate = () => runMiftah([...ROTATE, '--yes'], { DATA_DIR: dataDir });
  expect(await rotate()).toMatchObject({ code: 0 });
  const after = await rotatedAt(store, Date.now() + HOUR_MS);
  expect(after.previous).not.toEqual([]);
  const again = await rotate();
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('less than ten seconds')]);
  expect(await rotatedAt(store, 0)).toMatchObject({ current: after.current, next: after.next });
  expect(await rotate()).toMatchObject({ code: 0 });
});

it('a command that is killed in the middle has changed everything or nothing', async () => {
  const { origin, dataDir } = await openListening({ settings: { OPENID: 'on' } });
  await keysOf(origin);
  const store = await openStoreBeside({ dataDir });
  const read = async () => parseSigningKeys((await store.findOpenid(SIGNING_KEYS))?.body ?? '');
  const rotations = async () =>
    (await store.readAudit({ after: 0, limit: 1000 })).filter(
      ({ action }) => action === 'openid.keys_rotated',
    ).length;
  const env = { DATA_DIR: dataDir };
  const whole = await timeOf(env);
  for (const part of atLength([0.5, 0.8, 0.9, 0.95, 1], [0.8, 0.95])) {
    const { current, next } = await rotatedAt(store, 0);
    const rows = await rotations();
    const child = spawn(process.execPath, [programFile('miftah'), ...ROTATE, '--yes'], { env });
    const killed = AbortSignal.timeout(Math.round(whole * part));
    killed.addEventListener('abort', () => child.kill('SIGKILL'));
    await once(child, 'exit');
    const now = await read();
    const isDone = (await rotations()) > rows;
    expect(now.current).toEqual(isDone ? next : current);
    expect(now.next).not.toEqual(now.current);
  }
  await idTokenOf(origin);
});

/** The keys, as if their last rotation was then. */
async function rotatedAt(store: Store, nextSince: Ms): Promise<SigningKeys> {
  const from = (await store.findOpenid(SIGNING_KEYS))?.body ?? '';
  const keys = { ...parseSigningKeys(from), nextSince };
  await store.replaceOpenid({ ...SIGNING_KEYS, from, to: JSON.stringify(keys), at: 0 });
  return keys;
}

/** Of a whole run, in milliseconds. */
async function timeOf(env: Environment): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, [programFile('miftah'), ...ROTATE, '--yes'], { env });
  await once(child, 'exit');
  return performance.now() - begun;
}
