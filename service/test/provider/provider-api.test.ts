import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../src/errors/refusal.ts';
import { REPORTED_PROFILE, type ProviderApiConfig } from '../../src/provider/provider-config.ts';
import { json, openAreaB, record, route, type Script } from '../support/provider/area-b.ts';
import {
  AUDIENCE,
  ISSUER,
  NATIONAL_ID,
  openProvider,
  ORDER,
  refusalOf,
  REQUEST_ID,
  TRANSACTION_ID,
} from '../support/provider/provider-under-test.ts';
import { hashOf, NONCE, sessionAnswer, STATE } from '../support/provider/session-answer.ts';
import { claimsOf, CREATED_AT, Forge, type Changes } from '../support/provider/token-forge.ts';

const forge = new Forge(2048);
const TOKEN = forge.sign(claimsOf('redirect'));
const ATTEMPT = { requestId: REQUEST_ID, createdAt: CREATED_AT };
const REDIRECT = { ...ATTEMPT, nonce: NONCE, userAddress: null };
const PUSH = { ...ATTEMPT, transactionId: TRANSACTION_ID, nationalId: NATIONAL_ID };

const STRANGER = { nin: '1000003301', sub: '1000003301', PersonId: '1000003301' };

async function openWith(
  scripts: Readonly<Record<string, Script>>,
  changes: Partial<ProviderApiConfig> = {},
) {
  const areaB = await openAreaB(route({ '/api/v1/mfa/jwk': json(forge.set), ...scripts }));
  return { areaB, ...openProvider(areaB.url, changes) };
}

async function exchangeOf(answer: unknown, changes: Partial<ProviderApiConfig> = {}) {
  const { provider } = await openWith({ '/api/v2/oidc/jwt': json(answer) }, changes);
  return provider.exchange(STATE, REDIRECT);
}

async function pushOf(claims: Changes, changes: Partial<ProviderApiConfig> = {}) {
  const { provider } = await openWith({}, changes);
  const token = forge.sign(claimsOf('phone', claims));
  return provider.verifyPush(
    { token, transactionId: TRANSACTION_ID, requestId: REQUEST_ID },
    PUSH,
    null,
  );
}

describe('openSession', () => {
  it('gives what the attempt keeps, for as long as the profile says', async () => {
    const { provider, clock } = await openWith({ '/api/v2/oidc/session': json(sessionAnswer()) });
    await expect(provider.openSession(ORDER)).resolves.toEqual({
      launchUrl: sessionAnswer().url,
      stateDigest: hashOf(STATE),
      nonce: NONCE,
      expiresAt: clock.now() + REPORTED_PROFILE.redirectLifetimeMs,
    });
  });
});

describe('the id of a request', () => {
  it.each(['5f0c3e4b7a4c7', 'pay-7', 'x'.repeat(128)])('%s is whatever is echoed', async (id) => {
    const answer = json({ ...sessionAnswer(), requestId: id });
    const { provider, areaB } = await openWith({ '/api/v2/oidc/session': answer });
    await expect(provider.openSession({ ...ORDER, requestId: id })).resolves.toBeDefined();
    expect(areaB.calls[0]?.query['requestId']).toBe(id);
    const other = provider.openSession({ ...ORDER, requestId: `${id}0` });
    expect((await refusalOf(other)).code).toBe('provider.bad_response');
  });

  it('is the same in capitals, as a provider may store and echo it', async () => {
    const answer = json({ ...sessionAnswer(), requestId: REQUEST_ID.toUpperCase() });
    const { provider } = await openWith({ '/api/v2/oidc/session': answer });
    await expect(provider.openSession(ORDER)).resolves.toBeDefined();
  });
});

describe('requestPush', () => {
  it.each([
    ['07', 200],
    ['123456', 201],
    ['7', 202],
  ])('passes the number %s through as it is, with status %i', async (random, status) => {
    const pushed = json({ transId: TRANSACTION_ID, random }, status);
    const { provider, clock } = await openWith({ '/api/v1/mfa/request': pushed });
    await expect(provider.requestPush(ORDER)).resolves.toEqual({
      transactionId: TRANSACTION_ID,
      bindingCode: random,
      expiresAt: clock.now() + REPORTED_PROFILE.pushLifetimeMs,
    });
  });
});

describe('pushStatus', () => {
  const question = { ...PUSH, bindingCode: '07', userAddress: null };

  it.each([
    [json({ status: 'WAITING' }), 'waiting'],
    [json({ status: 'COMPLETED' }), 'completed'],
    [json({ status: 'REJECTED' }), 'rejected'],
    [json({ status: 'EXPIRED' }), 'expired'],
    [record('400-034-051'), 'expired'],
    [record('400-034-053'), 'expired'],
  ])('%# is %s', async (script, status) => {
    const { provider, areaB } = await openWith({ '/api/v1/mfa/request/status': script });
    await expect(provider.pushStatus(question)).resolves.toBe(status);
    const sent: unknown = JSON.parse(areaB.calls[0]?.body ?? '');
    expect(sent).toEqual({ nationalId: NATIONAL_ID, transId: TRANSACTION_ID, random: '07' });
  });

  it.each([
    json({ status: 'completed' }),
    json({ status: ['COMPLETED'] }),
    json({}),
    record('400-034-099'),
  ])('%# is refused', async (script) => {
    const { provider } = await openWith({ '/api/v1/mfa/request/status': script });
    expect((await refusalOf(provider.pushStatus(question))).code).toBe('provider.bad_response');
  });
});

describe('exchange', () => {
  it('gives the person of the token', async () => {
    await expect(exchangeOf({ state: STATE, token: TOKEN })).resolves.toMatchObject({
      result: 'approved',
      person: { issuer: ISSUER, documentType: 'nin', documentNumber: NATIONAL_ID },
    });
  });

  it('sends the state and nothing else', async () => {
    const answer = json({ state: STATE, token: TOKEN });
    const { provider, areaB } = await openWith({ '/api/v2/oidc/jwt': answer });
    await provider.exchange(STATE, REDIRECT);
    // The keys come first: without them the token of the state would be lost.
    const [keys, exchange, ...more] = areaB.calls;
    expect(keys).toMatchObject({ method: 'GET', query: {}, body: '' });
    expect(exchange).toMatchObject({ query: {}, body: JSON.stringify({ state: STATE }) });
    expect(more).toEqual([]);
  });

  it('tells a state that is not redeemable from a failure', async () => {
    const { provider } = await openWith({ '/api/v2/oidc/jwt': record('401-033-024') });
    await expect(provider.exchange(STATE, REDIRECT)).resolves.toEqual({ result: 'not_redeemable' });
  });

  it.each([
    ['another state', { state: `${STATE.slice(0, -4)}AAA=` }],
    ['no state', { state: undefined }],
    ['a state that only looks alike', { state: STATE.replaceAll('+', ' ') }],
    ['no token', { token: undefined }],
    ['a token under another name', { token: undefined, jwt: 'x' }],
    ['a token in an array', { token: ['a.b.c'] }],
  ])('refuses an answer with %s', async (_, changes) => {
    const refusal = await refusalOf(exchangeOf({ state: STATE, token: TOKEN, ...changes }));
    expect(refusal.code).toBe('provider.bad_response');
  });

  it('takes a token without a nonce only from a profile that says there is none', async () => {
    const answer = { state: STATE, token: forge.sign(claimsOf('redirect', { nonce: undefined })) };
    expect((await refusalOf(exchangeOf(answer))).code).toBe('provider.bad_response');
    const redirectToken = { required: ['iss', 'aud', 'sub'] } as const;
    const profile = { ...REPORTED_PROFILE, name: 'without nonce', redirectToken };
    await expect(exchangeOf(answer, { profile })).resolves.toMatchObject({ result: 'approved' });
    const wrong = { state: STATE, token: forge.sign(claimsOf('redirect', { nonce: 'wrong' })) };
    expect((await refusalOf(exchangeOf(wrong, { profile }))).code).toBe('provider.bad_response');
  });

  it('puts the provider’s own country numbers into ours where the operator knows them', async () => {
    const nationalities = new Map([[901, 'IE']]);
    const profile = { ...REPORTED_PROFILE, nationalities };
    const claims = claimsOf('redirect', { nationalityCode: '901' });
    const answer = { state: STATE, token: forge.sign(claims) };
    await expect(exchangeOf(answer, { profile })).resolves.toMatchObject({
      person: { nationality: 'IE' },
    });
  });
});

describe('verifyPush', () => {
  it('gives the person who was asked for', async () => {
    await expect(pushOf({})).resolves.toMatchObject({
      result: 'approved',
      person: { nationalId: NATIONAL_ID, englishName: 'Faisal Omar Khalid Altajribi' },
    });
  });

  it('gives a signed refusal, which needs no identity', async () => {
    await expect(pushOf({ status: 'REJECTED', nin: undefined })).resolves.toEqual({
      result: 'rejected',
    });
  });

  it.each([
    ['REJECTED', 'rejected'],
    ['EXPIRED', 'expired'],
  ])('gives %s as no more than that, whoever it names', async (status, result) => {
    await expect(pushOf({ status })).resolves.toEqual({ result });
    await expect(pushOf({ status, ...STRANGER })).resolves.toEqual({ result });
  });

  it('gives the same result a second time', async () => {
    const { provider } = await openWith({});
    const token = forge.sign(claimsOf('phone'));
    const message = { token, transactionId: TRANSACTION_ID, requestId: REQUEST_ID };
    const first = await provider.verifyPush(message, PUSH, null);
    await expect(provider.verifyPush(message, PUSH, null)).resolves.toEqual(first);
  });

  it('takes the request’s id in capitals, as a provider may store it', async () => {
    const { provider } = await openWith({});
    const token = forge.sign(claimsOf('phone'));
    const requestId = REQUEST_ID.toUpperCase();
    const message = { token, transactionId: TRANSACTION_ID, requestId };
    await expect(provider.verifyPush(message, PUSH, null)).resolves.toMatchObject({
      result: 'approved',
    });
  });

  it('refuses another person than the one who was asked for', async () => {
    expect((await refusalOf(pushOf(STRANGER))).code).toBe('provider.mismatch');
  });

  it.each([
    ['transaction', { transactionId: 'c3f3d1ee-9d2b-4d4b-8f77-3f8e5c9f0a22' }],
    ['request', { requestId: '0199a1b2-c3d4-7e5f-8a6b-000000000000' }],
  ])('refuses a body of another %s, whatever its token', async (_, changes) => {
    const { provider, areaB } = await openWith({});
    const token = forge.sign(claimsOf('phone'));
    const message = { token, transactionId: TRANSACTION_ID, requestId: REQUEST_ID, ...changes };
    expect((await refusalOf(provider.verifyPush(message, PUSH, null))).code).toBe(
      'push.unverified',
    );
    expect(areaB.calls).toEqual([]);
  });
});

describe('the level of assurance', () => {
  const minimumAssurance = 2;

  it.each([
    ['too low', { assurance_level: '1' }],
    ['not stated', { assurance_level: '' }],
    ['lower in acr', { assurance_level: '3', acr: '1' }],
  ])('%s', async (_, changes) => {
    const answer = { state: STATE, token: forge.sign(claimsOf('redirect', changes)) };
    const refusal = await refusalOf(exchangeOf(answer, { minimumAssurance }));
    expect(refusal.code).toBe('assurance.insufficient');
    const push = await refusalOf(pushOf(changes, { minimumAssurance }));
    expect(push.code).toBe('assurance.insufficient');
  });

  it('just enough', async () => {
    const changes = { assurance_level: '2' };
    await expect(pushOf(changes, { minimumAssurance })).resolves.toHaveProperty('person');
  });
});

it('no refusal says anything of a person, a token or a key', async () => {
  const { provider, records } = await openWith({
    '/api/v2/oidc/jwt': json({
      state: STATE,
      token: forge.sign(claimsOf('redirect', { aud: 'x' })),
    }),
  });
  const token = forge.sign(claimsOf('phone', STRANGER));
  const message = { token, transactionId: TRANSACTION_ID, requestId: REQUEST_ID };
  const refusals: Refusal[] = [
    await refusalOf(provider.exchange(STATE, REDIRECT)),
    await refusalOf(provider.verifyPush(message, PUSH, null)),
    await refusalOf(provider.verifyPush({ ...message, token: 'x' }, PUSH, null)),
  ];
  const said = refusals.map((one) => `${String(one.stack)} ${String(one.cause)}`).join();
  // The operator is told the expected audience on purpose, beside the text of the error.
  expect(refusals[0]?.details.refusedToken).toEqual({
    check: 'aud',
    expected: AUDIENCE,
    came: 'x',
  });
  expect(said).not.toContain(AUDIENCE);
  for (const secret of [NATIONAL_ID, '1000003301', STATE, NONCE, token, 'Faisal']) {
    expect(said + JSON.stringify([refusals, records])).not.toContain(secret);
  }
});
