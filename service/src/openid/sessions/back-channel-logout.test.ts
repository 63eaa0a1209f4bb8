import { beforeEach, describe, expect, it } from 'vitest';
import { demoClients } from '../../account/client.ts';
import { TOLD_AT_END } from '../../account/openid-client.ts';
import { OutboundError } from '../../outbound/outbound.port.ts';
import { createMemoryStore } from '../../store/index.ts';
import type { Store } from '../../store/ports/store.port.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../values/time.ts';
import { createFakeClock, type FakeClock } from '../../../test/support/service/fake-clock.ts';
import { sampleRecord } from '../../../test/conformance/store-openid.ts';
import { BackChannelLogouts } from './back-channel-logout.ts';

const answered = (status: number) =>
  Object.assign(new Error('refused'), { response: new Response(null, { status }) });

let store: Store;
let clock: FakeClock;
let calls: string[];
let logged: string[];
let failures: Readonly<Record<string, Error | Promise<void> | undefined>>;
let sendDue: () => Promise<void>;
beforeEach(() => {
  store = createMemoryStore();
  clock = createFakeClock();
  calls = [];
  logged = [];
  failures = {};
  const backchannelLogout = { uri: 'https://shop.example/logout', needsSession: false };
  const known = demoClients().map((client) => ({
    ...client,
    openid: client.openid === null ? null : { ...client.openid, backchannelLogout },
  }));
  const logouts = new BackChannelLogouts({
    store,
    clock,
    clients: { all: () => known, find: () => null, ofKey: () => null, keyless: () => null },
    provider: async () => ({
      Client: {
        find: async (id) => ({
          backchannelLogoutUri: backchannelLogout.uri,
          async tellOfEnd(subject) {
            calls.push(`${id} ${subject}`);
            const failure = failures[`${id} ${subject}`] ?? failures[id];
            if (failure instanceof Error) throw failure;
            await failure;
          },
        }),
      },
    }),
    logFailed: (client) => logged.push(client),
  });
  sendDue = () => logouts.sendDue();
});

/** As many sign-ins as subjects, which an operator ends. */
async function end(client: string, subjects: readonly string[]): Promise<void> {
  for (const subject of subjects) {
    const body = JSON.stringify({ client, subject });
    const expiresAt = clock.now() + DAY_MS;
    await store.putOpenid(sampleRecord({ model: TOLD_AT_END, body, client, subject, expiresAt }));
  }
  await store.revokeAll(clock.now(), { client });
}

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name}${String(at)}`);

describe('what is due', () => {
  it('is told at once, however much it is', async () => {
    await end('demo', numbered('a', 30));
    await sendDue();
    expect(calls).toHaveLength(30);
    await sendDue();
    expect(calls).toHaveLength(30);
  });

  it('is told to others while one client takes nothing', async () => {
    failures = { demo: answered(404) };
    await end('demo', numbered('a', 30));
    await end('demo-web', ['b']);
    await sendDue();
    expect(calls).toContain('demo-web b');
    // The first lease has shown that all would fail.
    expect(calls.filter((call) => call.startsWith('demo ')).length).toBeLessThanOrEqual(4);
    expect(new Set(logged)).toEqual(new Set(['demo']));
    expect(logged).toHaveLength(1);
    failures = {};
    clock.advance(MINUTE_MS);
    await sendDue();
    expect(new Set(calls.filter((call) => call.startsWith('demo ')))).toHaveLength(30);
  });

  it('is told within minutes once a client is back, for however long it was away', async () => {
    failures = { demo: answered(503) };
    await end('demo', ['before']);
    for (let hour = 0; hour < 12; hour += 1) {
      await sendDue();
      clock.advance(HOUR_MS);
    }
    await sendDue();
    failures = {};
    await end('demo', ['after']);
    clock.advance(5 * MINUTE_MS);
    await sendDue();
    expect(calls.at(-1)).toBe('demo after');
  });

  it('is told to others while one client does not answer', async () => {
    const slow = Promise.withResolvers<void>();
    failures = { demo: slow.promise };
    await end('demo', numbered('a', 5));
    const first = sendDue();
    await expect.poll(() => calls).toHaveLength(4);
    await end('demo-web', ['b']);
    await sendDue();
    expect(calls.filter((call) => call.startsWith('demo '))).toHaveLength(4);
    expect(calls).toContain('demo-web b');
    slow.resolve();
    await first;
    expect(calls).toHaveLength(6);
  });

  it('waits alone where the client refuses that one', async () => {
    failures = { 'demo a1': answered(400) };
    await end('demo', numbered('a', 9));
    await sendDue();
    expect(new Set(calls)).toHaveLength(9);
    calls = [];
    clock.advance(MINUTE_MS);
    await sendDue();
    expect(calls).toEqual(['demo a1']);
  });

  it('is due again soon, and is no failure of the client, while other calls are under way', async () => {
    failures = { demo: new OutboundError('busy') };
    await end('demo', numbered('a', 6));
    await sendDue();
    expect(calls).toHaveLength(6);
    expect(logged).toEqual([]);
    failures = {};
    clock.advance(SECOND_MS);
    await sendDue();
    expect(calls).toHaveLength(12);
  });

  it('is logged once an hour', async () => {
    failures = { demo: answered(503) };
    await end('demo', ['a']);
    for (let minute = 0; minute < 180; minute += 1) {
      await sendDue();
      clock.advance(MINUTE_MS);
    }
    expect(logged.length).toBeGreaterThan(1);
    expect(logged.length).toBeLessThanOrEqual(3);
  });
});
