import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile, type ClientEntry } from '../../../scripts/rehearsal.ts';
import { SystemClock } from '../../src/platform/runtime.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { webhookReceiver, webhookSecret } from '../support/outbound/webhook-receiver.ts';
import { runMiftah } from '../support/programs/operator.ts';
import {
  AMAL,
  bearer,
  cancel,
  complete,
  login,
  startedOf,
  startPhone,
  startRedirect,
} from '../support/service/login.ts';
import { outcomeNumber } from '../support/service/outcome-number.ts';
import { timeLineOf } from '../support/service/time-line.ts';
import { openTestService, type TestService } from '../support/service/test-service.ts';

/** Webhooks in simulator mode: a receiver on this machine, which checks each signature. */

const SECRET = webhookSecret(1);
const KEY = 'mfk_hooked_0123456789abcdef';

interface Hook {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly events?: readonly string[];
}

const entryOf = (webhooks: readonly Hook[]): ClientEntry & { webhooks: readonly Hook[] } => ({
  id: 'hooked',
  name: { ar: 'تطبيق المثال', en: 'Example Application' },
  type: 'confidential',
  return_addresses: ['http://127.0.0.1/return'],
  keys: [KEY],
  webhooks,
});

async function open(webhooks: readonly Hook[], others: Record<string, string> = {}) {
  const clientsFile = writeClientsFile(temporaryFolder('hooks', onTestFinished), [
    entryOf(webhooks),
  ]);
  const clock = new SystemClock();
  const settings = { CLIENTS_FILE: clientsFile, RATE_LIMITS: 'off', ...others };
  const parts = { clock, timekeeper: clock };
  const service = await openTestService({ settings, parts });
  const again = () => openTestService({ settings, parts, dataDir: service.dataDir });
  const change = async (next: readonly Hook[]) => {
    const content = JSON.parse(readFileSync(clientsFile, 'utf8')) as { clients: object[] };
    content.clients = content.clients.map((client) => ({ ...client, webhooks: next }));
    writeFileSync(clientsFile, JSON.stringify(content));
    await service.reload();
  };
  return { service, change, again, clientsFile };
}

function sweptTo({ dataDir }: TestService): number {
  const database = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly: true });
  const row = database.prepare('SELECT swept_to FROM webhook_sweep').get();
  database.close();
  return Number(row?.['swept_to'] ?? 0);
}

const receiver = () => webhookReceiver(onTestFinished, SECRET);

describe('webhooks in simulator mode', () => {
  it('tell each end of an attempt, by id and status', async () => {
    const hook = await receiver();
    const { service } = await open([{ url: hook.url, secrets: [SECRET] }]);
    const [done, cancelled] = [await startPhone(service, AMAL), await startRedirect(service)];
    await complete(service, done);
    await cancel(service, cancelled);
    await expect.poll(() => hook.told.length).toBe(2);
    const told = hook.told.map(({ type, data }) => ({ type, data }));
    expect(told).toContainEqual({
      type: 'attempt.authenticated',
      data: { attempt_id: done.attempt_id, status: 'authenticated' },
    });
    expect(told).toContainEqual({
      type: 'attempt.rejected',
      data: {
        attempt_id: cancelled.attempt_id,
        status: 'rejected',
        reason: 'attempt.cancelled',
      },
    });
    expect(hook.forged()).toBe(0);
  });

  it('tell what was decided on the phone, though nobody has read the status', async () => {
    const hook = await receiver();
    const { service } = await open([{ url: hook.url, secrets: [SECRET] }]);
    const { attempt_id } = await startPhone(service, outcomeNumber('refuses'));
    await expect
      .poll(() => hook.told.map(({ data }) => data), { timeout: 20_000 })
      .toEqual([{ attempt_id, status: 'rejected', reason: 'attempt.rejected' }]);
  });

  it('tell in strict mode that a result has never come, though nobody has read the status', async () => {
    const hook = await receiver();
    const hooks = [{ url: hook.url, secrets: [SECRET] }];
    const { service } = await open(hooks, { STRICT: 'yes', PUBLIC_URL: 'http://localhost:3000' });
    const national_id = outcomeNumber('callback_lost');
    const answer = await service.post('/start', { locale: 'en', national_id }, bearer(KEY));
    const { attempt_id } = startedOf(answer);
    const later = { method: 'POST', url: '/simulator/clock', payload: { advance: '10s' } } as const;
    const told = async () => {
      await service.app.inject(later);
      return hook.told.map(({ data }) => data);
    };
    await expect
      .poll(told, { timeout: 20_000 })
      .toEqual([{ attempt_id, status: 'failed', reason: 'provider.identity_missing' }]);
  });

  it('come to nobody who listens after a reset, also those that were on their way', async () => {
    const { service } = await open([{ url: 'http://127.0.0.1:9/hook', secrets: [SECRET] }]);
    const listed = async (after: string) => {
      const url = `/simulator/webhooks?timeout=0&after=${after}`;
      const { payload } = await service.app.inject({ method: 'GET', url });
      return (JSON.parse(payload) as { data: { cursor: string; webhooks: unknown[] } }).data;
    };
    for (const _ of Array(10)) {
      const { cursor } = await listed('0');
      await cancel(service, await startRedirect(service));
      await service.app.inject({ method: 'POST', url: '/simulator/reset', payload: {} });
      // What comes later still is sent by another one, and that one is the last.
      const later = await startRedirect(service);
      await cancel(service, later);
      await expect.poll(async () => (await listed(cursor)).webhooks.length).toBeGreaterThan(0);
      expect(JSON.stringify((await listed(cursor)).webhooks)).toContain(later.attempt_id);
      expect((await listed(cursor)).webhooks).toHaveLength(1);
    }
  });

  it('come to whoever listens of what a command changes too', async () => {
    const hooks = [{ url: 'http://127.0.0.1:9/hook', secrets: [SECRET] }];
    const { service, clientsFile } = await open(hooks);
    const { user } = await login(service);
    const settings = { CLIENTS_FILE: clientsFile, DATA_DIR: service.dataDir };
    const { code, err } = await runMiftah(['user', 'disable', String(user.id)], settings);
    expect(code, err).toBe(0);
    const listed = async () => {
      const url = '/simulator/webhooks?timeout=0&after=0';
      return JSON.parse((await service.app.inject({ method: 'GET', url })).payload) as unknown;
    };
    await expect.poll(listed).toMatchObject({
      data: {
        webhooks: [{ type: 'attempt.authenticated' }, { type: 'user.disabled', client: 'hooked' }],
      },
    });
  });

  it('tell an expiry that nobody has read, once the clock was moved', async () => {
    const hook = await receiver();
    const { service } = await open([{ url: hook.url, secrets: [SECRET] }]);
    const { attempt_id } = await startPhone(service, AMAL);
    // The first sweep says where the next one begins.
    await expect.poll(() => sweptTo(service), { timeout: 20_000 }).toBeGreaterThan(0);
    const move = { method: 'POST', url: '/simulator/clock', payload: { advance: '11m' } } as const;
    expect((await service.app.inject(move)).statusCode).toBe(200);
    await expect
      .poll(() => hook.told.map(({ data }) => data), { timeout: 20_000 })
      .toEqual([{ attempt_id, status: 'expired' }]);
    expect(hook.forged()).toBe(0);
  });

  it('are signed with both secrets while one takes the place of the other', async () => {
    const [old, fresh] = [
      await receiver(),
      await webhookReceiver(onTestFinished, webhookSecret(2)),
    ];
    const both = [SECRET, webhookSecret(2)];
    const hooks = [old, fresh].map(({ url }) => ({ url, secrets: both }));
    const { service, change } = await open(hooks);
    await complete(service, await startPhone(service, AMAL));
    await expect.poll(() => [old.told.length, fresh.told.length]).toEqual([1, 1]);
    await change([{ url: fresh.url, secrets: [webhookSecret(2)] }]);
    await cancel(service, await startPhone(service, AMAL));
    await expect.poll(() => fresh.told.length).toBe(2);
    expect([old.told.length, old.forged(), fresh.forged()]).toEqual([1, 0, 0]);
  });

  it('begin and end with the member of the file, without a restart', async () => {
    const hook = await receiver();
    const { service, change } = await open([]);
    await complete(service, await startPhone(service, AMAL));
    await change([{ url: hook.url, secrets: [SECRET], events: ['attempt.rejected'] }]);
    await complete(service, await startPhone(service, AMAL));
    const { attempt_id } = await startPhone(service, AMAL).then(async (started) => {
      await cancel(service, started);
      return started;
    });
    await expect.poll(() => hook.told.map(({ data }) => data['attempt_id'])).toEqual([attempt_id]);
    await change([]);
    await cancel(service, await startPhone(service, AMAL));
    expect(hook.arrived).toHaveLength(1);
  });

  it('are in the time line of their attempt, each try with its answer', async () => {
    const hook = await receiver();
    let tries = 0;
    hook.answer = () => ((tries += 1) === 1 ? 503 : 204);
    const { service } = await open([{ url: hook.url, secrets: [SECRET] }]);
    const started = await startPhone(service, AMAL);
    await cancel(service, started);
    await expect.poll(() => hook.told.length, { timeout: 30_000 }).toBe(1);
    const webhooks = async () => {
      const { entries } = await timeLineOf(service, started.attempt_id);
      return entries
        .filter(({ name }) => name === 'webhook')
        .map(({ side, exchange }) => [side, exchange?.path, exchange?.status]);
    };
    await expect.poll(webhooks).toEqual([
      ['callback', expect.stringMatching(/^receiver [a-p]{16}$/), 503],
      ['callback', expect.stringMatching(/^receiver [a-p]{16}$/), 204],
    ]);
    // The wait after a failure is over, and the log has said once that there was one.
    const warned = service.logLines.filter((line) => line.includes('has not taken one'));
    expect(warned.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 40, client: 'hooked', answer: '503' },
    ]);
  });

  it('that are not answered hold up no stop, and are sent after the next start', async () => {
    const hook = await receiver();
    hook.answer = () => () => undefined;
    const hooks = [{ url: hook.url, secrets: [SECRET] }];
    const { service, again } = await open(hooks);
    const started = await startPhone(service, AMAL);
    const { attempt_id } = started;
    await cancel(service, started);
    await expect.poll(() => hook.arrived.length).toBe(1);
    await service.close();
    expect(service.logLines.filter((line) => line.includes('could not be sent'))).toEqual([]);
    hook.answer = () => 204;
    const later = await again();
    // The lease of the first one ends.
    const move = { method: 'POST', url: '/simulator/clock', payload: { advance: '1m' } } as const;
    expect((await later.app.inject(move)).statusCode).toBe(200);
    await expect.poll(() => hook.told.map(({ data }) => data['attempt_id'])).toEqual([attempt_id]);
    expect(new Set(hook.arrived.map(({ id }) => id)).size).toBe(1);
  });

  it('are in the numbers, and no secret of them is in the log', async () => {
    const hook = await receiver();
    const { service } = await open([{ url: hook.url, secrets: [SECRET] }]);
    await complete(service, await startPhone(service, AMAL));
    await expect.poll(() => hook.told.length).toBe(1);
    await expect
      .poll(async () => (await service.request({ method: 'GET', url: '/metrics' })).payload)
      .toContain('miftah_webhook_tries_total{outcome="delivered"} 1');
    expect(service.logLines.join('')).not.toContain(SECRET);
    expect(service.logLines.join('')).not.toContain(hook.url);
  });

  it('that are given up after a day are told and counted, tried again or not', async () => {
    const hook = await receiver();
    hook.answer = () => 500;
    const { service } = await open([{ url: hook.url, secrets: [SECRET] }]);
    for (const _ of [1, 2, 3]) await complete(service, await startPhone(service, AMAL));
    await expect.poll(() => hook.arrived.length).toBeGreaterThan(0);
    const move = { method: 'POST', url: '/simulator/clock', payload: { advance: '25h' } } as const;
    expect((await service.app.inject(move)).statusCode).toBe(200);
    const given = async () => {
      const { payload } = await service.request({ method: 'GET', url: '/metrics' });
      return Number(/outcome="given_up"\} (\d+)/.exec(payload)?.[1]);
    };
    await expect.poll(given).toBeGreaterThanOrEqual(3);
    const logged = service.logLines.filter((line) => line.includes('given up after 24 hours'));
    expect(logged.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ client: 'hooked', level: 40 }),
    );
  });

  it('that a receiver refuses for good are over, and the operator is told', async () => {
    const hook = await receiver();
    hook.answer = () => 410;
    const { service } = await open([{ url: hook.url, secrets: [SECRET] }]);
    await complete(service, await startPhone(service, AMAL));
    const logged = () => service.logLines.filter((line) => line.includes('answered 410'));
    await expect.poll(() => logged().length).toBe(1);
    expect(JSON.parse(logged()[0] ?? '')).toMatchObject({ client: 'hooked', level: 40 });
    await complete(service, await startPhone(service, AMAL));
    expect(hook.arrived).toHaveLength(1);
  });
});
