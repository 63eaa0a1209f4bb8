import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Started } from '../support/live/live-client.ts';
import { record, text } from '../support/provider/area-b.ts';
import { PERSON } from '../support/live/provider-double.ts';
import { shareUnmoved } from '../support/live/live-service.ts';
import { bringPush, comeBack, launched, signedIn, wordsOf } from '../support/live/steps.ts';

const scene = shareUnmoved({ settings: { PROVIDER_OWN_ADDRESS: '192.0.2.1' } });

let people = 0;
const somebody = () => String(1_087_900_000 + (people += 1));

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
const from = (address: string) => ({ 'x-end-user-address': address });

/** The end user's address that the provider gets. */
async function toldTo(start: Promise<{ status: number }>): Promise<unknown> {
  expect((await start).status).toBe(200);
  return scene().provider.received('session').at(-1)?.headers['x-forwarded-for'];
}

async function failedReturn(started: Started): Promise<string> {
  const browser = await launched(started);
  scene().provider.approve(started.attempt_id, { assurance_level: 'none-canary' });
  return (await comeBack(scene(), started, browser)).html;
}

describe('whose attempt it is', () => {
  it('a confidential client’s is unknown to everybody without its key', async () => {
    const { anybody, bank, clinic, shop } = scene();
    const started = await bank.startRedirect();
    const code = { completion_code: await signedIn(scene(), started) };
    const others = [
      [anybody, undefined],
      [clinic, undefined],
      [shop, undefined],
      [anybody, bearer('mfk_wrong_0123456789abcdef')],
      [anybody, bearer(started.attempt_token)],
    ] as const;
    for (const [other, header] of others) {
      const none = { ...started, attempt_id: randomUUID() };
      const unknown = await other.redeem(none, code, header);
      expect(unknown.status).toBe(404);
      expect(wordsOf(await other.redeem(started, code, header))).toBe(wordsOf(unknown));
    }
    // None of these requests counted as a wrong code.
    expect((await bank.redeem(started, code)).status).toBe(200);
  });

  it('a public client’s needs no key, and its code all the same', async () => {
    const { anybody } = scene();
    const started = await anybody.startRedirect();
    const code = await signedIn(scene(), started);
    expect((await anybody.redeem(started)).code).toBe('attempt.completion_required');
    expect((await anybody.redeem(started, { completion_code: code })).status).toBe(200);
  });

  it('a code opens no other attempt', async () => {
    const { bank } = scene();
    const one = await bank.startRedirect();
    const other = await bank.startRedirect();
    const codes = [await signedIn(scene(), one), await signedIn(scene(), other)];
    const [own = '', foreign = ''] = codes;
    const crossed = await bank.redeem(one, { completion_code: foreign });
    expect(crossed.code).toBe('attempt.completion_required');
    expect((await bank.redeem(one, { completion_code: own })).status).toBe(200);
  });

  it.each([
    ['no key', {}],
    ['a wrong key', { authorization: 'Bearer mfk_wrong_0123456789abcdef' }],
    ['a key of simulator mode', { authorization: 'Bearer mfk_test_simulator' }],
    ['another scheme', { authorization: 'Basic bWZrX2Jhbms6' }],
  ])('a start with %s is nobody’s but the keyless client’s', async (_, headers) => {
    const { anybody, provider } = scene();
    const before = provider.received('session').length;
    const answer = await anybody.start({}, headers);
    if ('authorization' in headers) {
      expect([answer.status, answer.code]).toEqual([401, 'client.unauthenticated']);
      expect(provider.received('session').length).toBe(before);
    } else expect(answer.data['authorization_url']).toBeDefined();
  });
});

describe('the address of the person', () => {
  it('is believed of a back end, and of nobody else', async () => {
    const { anybody, bank, shop } = scene();
    expect(await toldTo(bank.start({}, from('198.51.100.7')))).toBe('198.51.100.7,192.0.2.1');
    for (const client of [shop, anybody]) {
      expect(await toldTo(client.start({}, from('198.51.100.7')))).toBe('127.0.0.1,192.0.2.1');
      const forwarded = { 'x-forwarded-for': '198.51.100.7', 'x-real-ip': '198.51.100.7' };
      expect(await toldTo(client.start({}, forwarded))).toBe('127.0.0.1,192.0.2.1');
    }
  });

  it('goes along with the questions about a push, too', async () => {
    const { bank, provider } = scene();
    const { data } = await bank.start({ national_id: somebody() }, from('198.51.100.8'));
    await bank.status(data as unknown as Started);
    const asked = provider.received('status').at(-1);
    expect(asked?.headers['x-forwarded-for']).toBe('198.51.100.8,192.0.2.1');
  });

  it('is passed on as the address alone', async () => {
    const { bank } = scene();
    for (const written of ['198.51.100.9:4711', '::ffff:198.51.100.9', '[::ffff:c633:6409]:443']) {
      expect(await toldTo(bank.start({}, from(written)))).toBe('198.51.100.9,192.0.2.1');
    }
  });

  it('that is none is refused, and nobody is asked', async () => {
    const { bank, provider } = scene();
    const before = provider.received('session').length;
    for (const nonsense of ['', 'x', '198.51.100.7, 127.0.0.1', '198.51.100.999']) {
      const answer = await bank.start({}, from(nonsense));
      expect([answer.status, answer.code], nonsense).toEqual([422, 'validation.failed']);
      expect(wordsOf(answer)).toContain('X-End-User-Address');
    }
    expect(provider.received('session').length).toBe(before);
  });

  it('of a public client gives it no budget of its own', async () => {
    const { anybody } = scene();
    const answers = [];
    for (let index = 0; index < 25; index += 1) {
      answers.push(await anybody.start({}, from(`198.51.100.${index}`)));
    }
    expect(answers.at(-1)?.code).toBe('rate_limited');
  });
});

describe('what is said of it', () => {
  it('no page of a failure shows what the provider has said, or whose it was', async () => {
    const { bank, provider } = scene();
    const started = await bank.startRedirect();
    const { state, nonce } = provider.session(started.attempt_id);
    const html = await failedReturn(started);
    expect(html).toContain('provider.bad_response');
    const secrets = [state, encodeURIComponent(state), nonce, PERSON, 'canary', 'nin', 'claim'];
    for (const secret of [...secrets, started.attempt_id]) expect(html).not.toContain(secret);
  });

  it('no start repeats the provider’s words', async () => {
    const { bank, provider } = scene();
    const person = somebody();
    const words = [
      text(`no such person ${person} canary`, 403),
      text(`<h1>canary ${person}</h1>`, 500),
      record('422-031-046'),
      record('499-000-001'),
    ];
    for (const script of words) {
      provider.answer('push', script);
      const answer = await bank.start({ national_id: somebody() });
      expect(answer.status).toBeGreaterThanOrEqual(500);
      expect(answer.text).not.toMatch(/canary|attempt_token|Couldn/);
      expect(answer.text).not.toContain(person);
    }
  });

  it('a national id is in no address, no redirect and no line of the log', async () => {
    const { bank, provider } = scene();
    const person = somebody();
    const phone = await bank.startPhone(person);
    const token = provider.phoneToken(phone.attempt_id);
    await bringPush(scene(), provider.message(phone.attempt_id, token));
    await bank.redeem(phone);
    const redirect = await bank.startRedirect();
    const browser = await launched(redirect);
    provider.approve(redirect.attempt_id, { nin: person, sub: person });
    const { location } = await comeBack(scene(), redirect, browser);
    expect(location?.href).not.toContain(person);
    const calls = (['session', 'push', 'exchange', 'status'] as const).flatMap((operation) => [
      ...provider.received(operation),
    ]);
    expect(calls.filter(({ query }) => JSON.stringify(query).includes(person))).toEqual([]);
    const { state, nonce } = provider.session(redirect.attempt_id);
    const [, claims = '', signature = ''] = token.split('.');
    const secrets = [person, state, nonce, claims, signature, 'rehearsal-app-key', 'Altajribi'];
    const said = scene().log();
    expect(said).toContain('"route":"/api/v1/callback"');
    for (const secret of secrets) expect(said.includes(secret), secret).toBe(false);
  });
});
