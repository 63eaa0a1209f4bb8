import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { REPLAY_WINDOW_MS } from '../../src/attempt/redeem/idempotency.ts';
import { DAY_MS } from '../../src/values/time.ts';
import { purge } from '../../src/operate/purge.flow.ts';
import { openSqliteStore } from '../../src/store/index.ts';
import {
  approveInBrowser,
  bearer,
  complete,
  dataOf,
  expectProblem,
  FAISAL,
  issuedOf,
  login,
  readStatus,
  redeem,
  startCompleted,
  startPhone,
  startRedirect,
  statusOf,
} from '../support/service/login.ts';
import { openTestService, type TestService } from '../support/service/test-service.ts';

/** Everything that was acknowledged is still there after a restart with the same DATA_DIR. */

async function restart(service: TestService): Promise<TestService> {
  const { dataDir, clock } = service;
  await service.close();
  return openTestService({ dataDir, clock });
}

it('users survive a restart, with the ids they had', async () => {
  const before = await openTestService();
  const first = await login(before, FAISAL);
  const second = await login(before);
  const after = await restart(before);
  expect((await login(after)).user).toEqual(second.user);
  expect((await login(after, FAISAL)).user).toEqual(first.user);
  const { id } = (await login(after, '2000005501')).user;
  expect([first.user.id, second.user.id]).not.toContain(id);
});

it('attempts survive a restart in every state', async () => {
  const before = await openTestService();
  const [pending, rejected, authenticated, redeemed] = [
    await startRedirect(before),
    await startPhone(before, '1900000010'),
    await startCompleted(before),
    await startCompleted(before),
  ];
  await redeem(before, redeemed);
  const all = [pending, rejected, authenticated, redeemed];
  const statuses = await Promise.all(all.map((one) => readStatus(before, one)));
  const after = await restart(before);
  for (const [at, started] of all.entries()) {
    const answer = await readStatus(after, started);
    expect(dataOf(answer)).toEqual(statuses[at]?.json<{ data: unknown }>().data);
  }
  expect((await complete(after, pending)).statusCode).toBe(200);
  expect((await redeem(after, authenticated)).statusCode).toBe(200);
  expectProblem(await redeem(after, redeemed), 'attempt.already_redeemed');
});

it('time goes on during a restart: an attempt expires when it was said to', async () => {
  const before = await openTestService();
  const started = await startRedirect(before);
  before.clock.advance(ATTEMPT_LIFETIME_MS - 1);
  const after = await restart(before);
  expect(await statusOf(after, started)).toBe('pending');
  after.clock.advance(1);
  expect(await statusOf(after, started)).toBe('expired');
});

it('tokens survive a restart, revoked ones as revoked', async () => {
  const before = await openTestService();
  const good = await login(before, FAISAL, { device_name: 'kept' });
  const revoked = await login(before, FAISAL);
  await before.remove('/token', bearer(revoked.token));
  const after = await restart(before);
  expect(dataOf(await after.get('/user', bearer(good.token)))).toMatchObject(good.user);
  const devices = (await after.get('/tokens', bearer(good.token))).json<{ data: object[] }>();
  expect(devices.data).toMatchObject([{ device_name: 'kept', current: true }]);
  expectProblem(await after.get('/user', bearer(revoked.token)), 'token.invalid');
});

it('wrong completion codes stay counted over a restart', async () => {
  const before = await openTestService();
  const started = await startRedirect(before);
  const completion_code = await approveInBrowser(before, started);
  for (let guess = 0; guess < 4; guess += 1) {
    await redeem(before, started, { completion_code: 'wrong' });
  }
  const after = await restart(before);
  await redeem(after, started, { completion_code: 'wrong' });
  expectProblem(await redeem(after, started, { completion_code }), 'attempt.failed');
});

it('an ended attempt is kept for its retention and is then unknown; its token stays', async () => {
  const before = await openTestService();
  const started = await startCompleted(before);
  const { token } = issuedOf(await redeem(before, started));
  before.clock.advance(ATTEMPT_LIFETIME_MS + DAY_MS);
  await before.close();
  await purgeFolder(before, 0);
  const kept = await openTestService({ dataDir: before.dataDir, clock: before.clock });
  expect(await statusOf(kept, started)).toBe('authenticated');
  await kept.close();
  await purgeFolder(before, 1);
  const after = await openTestService({ dataDir: before.dataDir, clock: before.clock });
  expectProblem(await readStatus(after, started), 'attempt.not_found');
  expectProblem(await redeem(after, started), 'attempt.not_found');
  expect((await after.get('/user', bearer(token))).statusCode).toBe(200);
});

async function purgeFolder({ dataDir, clock }: TestService, laterMs: number): Promise<void> {
  const store = await openSqliteStore({ directory: dataDir, onPoisoned: expect.unreachable });
  await purge(store, DAY_MS, clock.now() + laterMs);
  await store.close();
}

/** The files of the service that others may open. */
function sharedFiles({ dataDir }: TestService): string[] {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile())
    .filter((file) => (statSync(join(file.parentPath, file.name)).mode & 0o077) !== 0)
    .map(({ name }) => name);
}

it('the folder and its files are for their owner only', async () => {
  const service = await openTestService();
  await login(service);
  expect(readdirSync(service.dataDir)).toContain('secret.key');
  expect(sharedFiles(service)).toEqual([]);
});

it('the files that a backup brought back for everybody are their owner’s again', async () => {
  const before = await openTestService();
  await before.close();
  for (const name of ['secret.key', 'miftah.db', 'miftah.lock']) {
    chmodSync(join(before.dataDir, name), 0o644);
  }
  const after = await openTestService({ dataDir: before.dataDir });
  expect(sharedFiles(after)).toEqual([]);
});

it('a folder into which every user may write is refused', async () => {
  const before = await openTestService();
  await before.close();
  chmodSync(before.dataDir, 0o777);
  await expect(openTestService({ dataDir: before.dataDir })).rejects.toThrow(
    'every user may write into',
  );
});

it('what a redemption can be repeated from is erased within seconds of its minute', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const service = await openTestService();
  const started = await startCompleted(service);
  const key = 'erased-within-seconds-of-its-minute';
  expect((await redeem(service, started, {}, { 'idempotency-key': key })).statusCode).toBe(200);
  service.clock.advance(REPLAY_WINDOW_MS);
  await vi.advanceTimersByTimeAsync(5000);
  // Writes are in order: after this one the purge has ended, so that the next one is not left out.
  await startRedirect(service);
  expect(storedSalts(service)).toHaveLength(1);
  service.clock.advance(1);
  await vi.advanceTimersByTimeAsync(5000);
  await service.close();
  expect(storedSalts(service)).toEqual([]);
});

function storedSalts({ dataDir }: TestService): unknown[] {
  const database = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly: true });
  const rows = database
    .prepare('select replay_salt from attempts where replay_salt is not null')
    .all();
  database.close();
  return rows;
}
