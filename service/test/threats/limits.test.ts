import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiveClient, type Answer } from '../support/live/live-client.ts';
import { BANK_KEY, SHOP_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';
import { createFakeClock } from '../support/service/fake-clock.ts';
import { BEHIND_PROXY, eachOf, times } from '../support/attacks/crowd.ts';

/** The quota per minute and address. */
const QUOTA = 20;
const CALLS = 60;
/** The quota per minute for a back end that does not name end users' addresses. */
const BACK_END_QUOTA = 600;

let rehearsal: OpenedRehearsal;
let bank: LiveClient;
let shop: LiveClient;
let nobody: LiveClient;
beforeAll(async () => {
  // Its time stands still: no quota grows back, however long the calls take.
  rehearsal = await openRehearsal({}, { clock: createFakeClock(Date.now()) });
  bank = new LiveClient(rehearsal, BANK_KEY);
  shop = new LiveClient(rehearsal, SHOP_KEY);
  nobody = new LiveClient(rehearsal, null);
});
afterAll(async () => rehearsal[Symbol.asyncDispose]());

type Headers = Readonly<Record<string, string>>;
type Ask = (headers: Headers) => Promise<Answer>;

/** The number of calls that the limit allowed, each with its own headers. */
async function admitted(ask: Ask, headersOf: (call: number) => Headers, calls = CALLS) {
  const answers = await eachOf(times(calls), (call) => ask(headersOf(call)), 8);
  const limited = answers.filter(({ code }) => code === 'rate_limited');
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  for (const { status, headers } of limited) {
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  return calls - limited.length;
}

const someAttempt = () => ({ attempt_id: randomUUID(), attempt_token: '0'.repeat(64) });
const start = (client: () => LiveClient) => (headers: Headers) => client().start({}, headers);
const redeem = (client: () => LiveClient) => (headers: Headers) => {
  const { attempt_id, attempt_token } = someAttempt();
  return client().post(`/token/${attempt_id}`, { attempt_token }, headers);
};
const confirm = (client: () => LiveClient) => (headers: Headers) => {
  const { attempt_id, attempt_token } = someAttempt();
  const proof = { 'x-provider-attempt-token': attempt_token };
  return client().post('/complete-mfa', { attempt_id }, { ...headers, ...proof });
};

const address = (call: number) => `203.0.113.${call}`;
const sameNetAddress = (call: number) => `2001:db8:0:7::${(call + 1).toString(16)}`;
const named = (text: string) => ({ 'x-end-user-address': text });
const through = (text: string) => ({ 'x-forwarded-for': text });

/** All headers in which proxies commonly state a client's address. */
const forged = (call: number) => ({
  'x-forwarded-for': address(call),
  forwarded: `for=${address(call)};proto=https`,
  'x-real-ip': address(call),
  'x-client-ip': address(call),
  'x-cluster-client-ip': address(call),
  'true-client-ip': address(call),
  'cf-connecting-ip': address(call),
  'x-end-user-address': address(call),
});

const ENGLISH = { headers: { 'accept-language': 'en' } };

it('a page of a sign-in that is opened too often is one for the person, who may try again', async () => {
  const { data } = await bank.start({}, named('192.0.2.77'));
  const url = String(data['authorization_url']);
  const pages = await eachOf(times(QUOTA + 1), () => fetch(url, ENGLISH), 1);
  expect(pages.map(({ status }) => status)).toEqual([...times(QUOTA).map(() => 200), 429]);
  const html = ((await pages.at(-1)?.text()) ?? '').replaceAll('<wbr/>', '');
  expect(html).toContain('<h1>Too many requests in a short time</h1>');
  expect(html).toMatch(/<a href="[^"]+state=[^"]+"[^>]*data-testid="again"/);
  expect(html).not.toContain('rate_limited');
  expect(html).toContain(pages.at(-1)?.headers.get('x-request-id'));
});

describe('threat 22: forged addresses, where no proxy is trusted', () => {
  it('a new one in each request changes nothing, in no header', async () => {
    expect(
      await admitted(
        start(() => nobody),
        forged,
      ),
    ).toBe(QUOTA);
  });

  it('nor does the key of a public client, which everybody can have', async () => {
    expect(
      await admitted(
        redeem(() => shop),
        forged,
      ),
    ).toBe(QUOTA);
  });

  it('nor a key that is none', async () => {
    const impostor = new LiveClient(rehearsal, 'mfk_impostor_0123456789abcdef');
    expect(
      await admitted(
        confirm(() => impostor),
        forged,
      ),
    ).toBe(QUOTA);
  });
});

describe('threat 22: addresses that a back end names', () => {
  it('are counted apart, and one of them not above the quota', async () => {
    expect(
      await admitted(
        start(() => bank),
        (call) => named(address(call)),
      ),
    ).toBe(CALLS);
    expect(
      await admitted(
        redeem(() => bank),
        () => named('198.51.100.1'),
      ),
    ).toBe(QUOTA);
  });

  it('are one in the same /64, and in every way to write it', async () => {
    expect(
      await admitted(
        redeem(() => bank),
        (call) => named(sameNetAddress(call)),
      ),
    ).toBe(QUOTA);
    const ways = [
      '198.51.100.2',
      '::ffff:198.51.100.2',
      '::ffff:c633:6402',
      '0:0:0:0:0:FFFF:C633:6402',
      '198.51.100.2:4711',
      '[::ffff:198.51.100.2%eth0]:443',
    ];
    const inTurn = (call: number) => named(ways[call % ways.length] ?? '');
    expect(
      await admitted(
        redeem(() => bank),
        inTurn,
      ),
    ).toBe(QUOTA);
  });

  it('that are none are refused by the name of the header, and have one budget', async () => {
    const codes = new Map<string | null, number>();
    const ask: Ask = async (headers) => {
      const answer = await redeem(() => bank)(headers);
      codes.set(answer.code, (codes.get(answer.code) ?? 0) + 1);
      return answer;
    };
    const calls = BACK_END_QUOTA + CALLS;
    expect(await admitted(ask, (call) => named(`nobody-${call}`), calls)).toBe(BACK_END_QUOTA);
    expect(Object.fromEntries(codes)).toEqual({
      'validation.failed': BACK_END_QUOTA,
      rate_limited: CALLS,
    });
  });
});

describe('threat 22: addresses that a trusted proxy names', () => {
  beforeAll(async () => {
    await rehearsal.service.stop();
    await rehearsal.openAgain(BEHIND_PROXY);
  });

  it('are believed', async () => {
    expect(
      await admitted(
        start(() => nobody),
        (call) => through(address(call)),
      ),
    ).toBe(CALLS);
  });

  it('are not when the client itself wrote them, further to the left', async () => {
    expect(
      await admitted(
        start(() => nobody),
        (call) => through(`${address(call)}, 198.51.100.3`),
      ),
    ).toBe(QUOTA);
    expect(
      await admitted(
        redeem(() => nobody),
        (call) => through(`127.0.0.1, ${address(call)}, 198.51.100.4`),
      ),
    ).toBe(QUOTA);
  });

  it('are not in any other header', async () => {
    expect(
      await admitted(
        start(() => nobody),
        (call) => ({ ...forged(call), ...through('198.51.100.5') }),
      ),
    ).toBe(QUOTA);
  });

  it('are one in the same /64, and in every way to write it', async () => {
    expect(
      await admitted(
        start(() => nobody),
        (call) => through(sameNetAddress(call)),
      ),
    ).toBe(QUOTA);
    const ways = [
      '198.51.100.6',
      '::ffff:198.51.100.6',
      '198.51.100.6:4711',
      '[::ffff:c633:6406]:80',
    ];
    const inTurn = (call: number) => through(ways[call % ways.length] ?? '');
    expect(
      await admitted(
        start(() => nobody),
        inTurn,
      ),
    ).toBe(QUOTA);
  });
});
