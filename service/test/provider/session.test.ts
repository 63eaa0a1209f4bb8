import { describe, expect, it } from 'vitest';
import { stateDigest } from '../../src/attempt/provider-transaction.ts';
import { parseSession } from '../../src/provider/session.ts';
import type { JsonObject } from '../../src/provider/strict-json.ts';
import { json, openAreaB } from '../support/provider/area-b.ts';
import {
  AUTHORIZE_ORIGIN,
  openProvider,
  refusalOf,
  REQUEST_ID,
} from '../support/provider/provider-under-test.ts';
import {
  addressWith,
  hashOf,
  NONCE,
  PARAMETERS,
  sessionAnswer,
  STATE,
} from '../support/provider/session-answer.ts';

const EXPECTED = {
  requestId: REQUEST_ID,
  locale: 'ar',
  authorizeOrigin: AUTHORIZE_ORIGIN,
  expiresAt: 5,
} as const;

async function refusedFor(answer: JsonObject): Promise<string> {
  const refusal = await refusalOf((async () => parseSession(answer, EXPECTED))());
  expect(refusal.code).toBe('provider.bad_response');
  return String(refusal.cause);
}

function withAddress(changes: Record<string, string | null>): JsonObject {
  return sessionAnswer({ url: addressWith(changes) });
}

it('takes what the attempt needs, and leaves the address as it was', () => {
  expect(parseSession(sessionAnswer(), EXPECTED)).toEqual({
    launchUrl: addressWith(),
    stateDigest: hashOf(STATE),
    nonce: NONCE,
    expiresAt: 5,
  });
});

it('finds the same digest for the state that comes back with the browser', () => {
  expect(stateDigest(STATE)).toBe(parseSession(sessionAnswer(), EXPECTED).stateDigest);
});

it('reads a state whose plus signs stand as they are', () => {
  const url = addressWith().replaceAll('%2B', '+');
  expect(url).toContain('Ab+%2F');
  expect(parseSession(sessionAnswer({ url }), EXPECTED)).toMatchObject({
    launchUrl: url,
    stateDigest: hashOf(STATE),
  });
});

it('does not touch what a URL parser would write otherwise', () => {
  const url = `${addressWith()}&note=%e2%9c%93%7E'`;
  expect(new URL(url).href).not.toBe(url);
  expect(parseSession(sessionAnswer({ url }), EXPECTED).launchUrl).toBe(url);
});

describe('each of the eleven parameters', () => {
  it.each(Object.keys(PARAMETERS))('%s: must be there', async (name) => {
    expect(await refusedFor(withAddress({ [name]: null }))).toContain(`parameter ${name}`);
  });

  it.each(Object.keys(PARAMETERS))('%s: must not be empty', async (name) => {
    expect(await refusedFor(withAddress({ [name]: '' }))).toContain(`parameter ${name}`);
  });

  it.each(Object.keys(PARAMETERS))('%s: must be there once', async (name) => {
    const url = `${addressWith()}&${name}=${encodeURIComponent(PARAMETERS[name] ?? '')}`;
    expect(await refusedFor(sessionAnswer({ url }))).toContain(`parameter ${name}`);
  });

  it.each([
    ['scope', 'openid profile'],
    ['response_type', 'code'],
    ['response_mode', 'query'],
    ['redirect_uri', 'https://provider.example.test/elsewhere'],
    ['redirect_uri', 'not an address'],
    ['nonce', 'abc'],
    ['ui_locales', 'en'],
    ['prompt', 'none'],
    ['max_age', 'yesterday'],
    ['state', 'too short'],
  ])('%s: not %s', async (name, value) => {
    expect(await refusedFor(withAddress({ [name]: value }))).toContain(`parameter ${name}`);
  });
});

describe('an address that is not the configured one', () => {
  it.each([
    ['another host', addressWith().replace('authorize.example', 'evil.example')],
    ['a host that begins alike', addressWith().replace('.example.test/', '.example.test.evil/')],
    ['no TLS', addressWith().replace('https:', 'http:')],
    ['another port', addressWith().replace('.test/', '.test:8443/')],
    ['a user name', addressWith().replace('https://', 'https://user@')],
    ['our host as a user name', addressWith().replace('.test/', '.test@evil.example/')],
    ['another path', addressWith().replace('/authorize?', '/other?')],
    ['a script', 'javascript:alert(1)'],
    ['a relative address', '/authservice/authorize'],
    ['a backslash', addressWith().replace('https://', 'https:\\\\')],
    ['a line end', addressWith().replace('?', '\r\nset-cookie: a=b?')],
    ['a tab', addressWith().replace('https', 'ht\ttps')],
    ['a blank before it', ` ${addressWith()}`],
    ['letters that are not ASCII', addressWith().replace('authorize.', 'аuthorize.')],
    ['more than 8 KiB', `${addressWith()}&a=${'a'.repeat(8192)}`],
    ['nothing', ''],
  ])('%s', async (_, url) => {
    expect(await refusedFor(sessionAnswer({ url }))).toContain('session: url');
  });
});

describe('an answer that does not hold together', () => {
  it.each([
    ['another request’s id', { requestId: '0199a1b2-c3d4-7e5f-8a6b-000000000000' }, 'requestId'],
    ['no request id', { requestId: null }, 'requestId'],
    ['another state’s hash', { hashedState: hashOf('other') }, 'hashedState'],
    ['the hash in other letters', { hashedState: hashOf(STATE).toLowerCase() }, 'hashedState'],
    ['no hash', { hashedState: null }, 'hashedState'],
    ['no address', { url: null }, 'url'],
    ['an address in an array', { url: [addressWith()] }, 'url'],
  ])('%s', async (_, changes, reason) => {
    expect(await refusedFor({ ...sessionAnswer(), ...changes })).toContain(`session: ${reason}`);
  });

  it('says nothing of the state in its refusal', async () => {
    const areaB = await openAreaB(json({ ...sessionAnswer(), hashedState: 'x' }));
    const { provider, records } = openProvider(areaB.url);
    const request = { requestId: REQUEST_ID, locale: 'ar', userAddress: null } as const;
    const refusal = await refusalOf(provider.openSession(request));
    const said = JSON.stringify([refusal, refusal.message, String(refusal.cause), records]);
    expect(said).not.toContain(STATE.slice(0, 16));
    expect(said).not.toContain(NONCE);
  });
});
