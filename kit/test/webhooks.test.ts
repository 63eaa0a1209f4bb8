import { createHmac } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  connectMiftah,
  startMiftah,
  type ReceivedWebhook,
  type StartOptions,
  type TestMiftah,
} from '../src/index.ts';

/** What the back end of the application under test is told. */

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const PUBLIC = `whsec_${Buffer.from('a public secret of the simulator').toString('base64')}`;
const KEY = 'mfk_test_shop_of_a_test';
const SHOP = {
  id: 'shop',
  name: { ar: 'متجر', en: 'Shop' },
  type: 'confidential',
  returnAddresses: ['http://127.0.0.1:9/return'],
  keys: [KEY],
} as const;
const RECEIVER = { url: 'http://127.0.0.1:9/hook', secrets: [SECRET] };

async function start(options: StartOptions): Promise<TestMiftah> {
  const miftah = await startMiftah(options);
  onTestFinished(() => miftah.stop());
  return miftah;
}

async function connect(url: string, scope: string): Promise<TestMiftah> {
  const miftah = await connectMiftah(url, { scope });
  onTestFinished(() => miftah.stop());
  return miftah;
}

const shop = (receiver = {}) => ({
  clients: [{ ...SHOP, webhooks: [{ ...RECEIVER, ...receiver }] }],
});

/** These secrets, and no others, have signed it, as Standard Webhooks says. */
function expectSignedBy({ id, body, headers }: ReceivedWebhook, ...secrets: string[]): void {
  const content = `${id}.${headers['webhook-timestamp']}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  });
  expect(headers['webhook-signature']).toBe(signatures.join(' '));
}

const startBy = (miftah: TestMiftah, nationalId = miftah.people.amal.nationalId) =>
  miftah.client({ clientKey: KEY }).start({ locale: 'en', nationalId });

describe('webhooks.next', () => {
  it.each([false, true])('gives each end, signed for the receiver (strict: %s)', async (strict) => {
    const miftah = await start({ ...shop(), strict });
    const approved = await startBy(miftah);
    await miftah.phone.approve();
    const first = await miftah.webhooks.next({ timeout: 20_000 });
    expect(first).toMatchObject({
      client: 'shop',
      type: 'attempt.authenticated',
      data: { attemptId: approved.id, status: 'authenticated' },
    });
    expect(first.headers['webhook-id']).toBe(first.id);
    expect(JSON.parse(first.body)).toMatchObject({ type: first.type });
    expectSignedBy(first, SECRET);
    const cancelled = await startBy(miftah);
    await cancelled.cancel();
    const { type, data } = await miftah.webhooks.next({ timeout: 20_000 });
    expect([type, data]).toEqual([
      'attempt.rejected',
      { attemptId: cancelled.id, status: 'rejected', reason: 'attempt.cancelled' },
    ]);
    await expect(miftah.webhooks.next({ timeout: 0 })).rejects.toThrow(
      'No webhook has come in 0 ms',
    );
  });

  it('gives an expiry when the time was moved, though nothing has run before', async () => {
    const miftah = await start(shop());
    const { id } = await startBy(miftah);
    await miftah.clock.advance('6m');
    const { type, data } = await miftah.webhooks.next();
    expect([type, data]).toEqual(['attempt.expired', { attemptId: id, status: 'expired' }]);
  });

  it('gives an end once, also where it is found long after it was', async () => {
    const miftah = await start(shop());
    for (let time = 0; time < 3; time += 1) {
      const { id } = await startBy(miftah, '1900000002');
      await miftah.clock.advance('6m');
      const { type, data } = await miftah.webhooks.next({ timeout: 20_000 });
      expect([type, data.attemptId]).toEqual(['attempt.authenticated', id]);
      await expect(miftah.webhooks.next({ timeout: 500 })).rejects.toThrow('No webhook');
    }
  });

  it('gives one event once, of those that a receiver wants, with the secrets of all', async () => {
    const other = { ...RECEIVER, url: 'http://127.0.0.1:9/other', secrets: [OTHER] };
    const [both, one] = await Promise.all([
      start({ clients: [{ ...SHOP, webhooks: [RECEIVER, other] }] }),
      start(shop({ events: ['attempt.rejected'] })),
    ]);
    await (await startBy(both)).cancel();
    expectSignedBy(await both.webhooks.next(), SECRET, OTHER);
    await expect(both.webhooks.next({ timeout: 0 })).rejects.toThrow('No webhook');
    await startBy(one);
    await one.phone.approve();
    const cancelled = await startBy(one);
    await cancelled.cancel();
    expect((await one.webhooks.next()).data.attemptId).toBe(cancelled.id);
  });

  it('listens to a client without receivers from its first call on', async () => {
    const miftah = await start({});
    await (await startBy(miftah)).cancel();
    await expect(miftah.webhooks.next({ timeout: 0 })).rejects.toThrow('No webhook');
    await (await startBy(miftah)).cancel();
    const hook = await miftah.webhooks.next();
    expect(hook.client).toBe('simulator');
    expectSignedBy(hook, PUBLIC);
  });

  it('gives a scope its own, from its connection on, and nothing after a reset', async () => {
    const { url } = await start({});
    const [left, right] = [await connect(url, 'left'), await connect(url, 'right')];
    const [one, other] = [await startBy(left), await startBy(right)];
    await one.cancel();
    await other.cancel();
    expect((await right.webhooks.next()).data.attemptId).toBe(other.id);
    expect((await left.webhooks.next()).data.attemptId).toBe(one.id);
    await (await startBy(left)).cancel();
    // What has come to the list of the scope is dropped with it.
    await expect
      .poll(async () => {
        const answer = await fetch(`${url}/simulator/webhooks?timeout=0`, {
          headers: { 'x-miftah-scope': 'left' },
        });
        const { data } = (await answer.json()) as { data: { webhooks: unknown[] } };
        return data.webhooks.length;
      })
      .toBe(2);
    await left.reset();
    await expect(left.webhooks.next({ timeout: 0 })).rejects.toThrow('No webhook');
    const late = await connect(url, 'right');
    await expect(late.webhooks.next({ timeout: 0 })).rejects.toThrow('No webhook');
  });
});
