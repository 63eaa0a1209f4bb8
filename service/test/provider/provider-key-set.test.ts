import { beforeAll, describe, expect, it } from 'vitest';
import type { CryptoKey } from 'jose';
import { Refusal } from '../../src/errors/refusal.ts';
import { ProviderKeySet } from '../../src/provider/token/provider-key-set.ts';
import { readSigningKeys, type SigningKey } from '../../src/provider/token/signing-keys.ts';
import { TokenFault } from '../../src/provider/token/token-fault.ts';
import { json, openAreaB, raw, redirectTo, text, type Script } from '../support/provider/area-b.ts';
import {
  NATIONAL_ID,
  openProvider,
  refusalOf,
  REQUEST_ID,
  TRANSACTION_ID,
} from '../support/provider/provider-under-test.ts';
import { START_OF_TIME } from '../support/service/fake-clock.ts';
import {
  asJson,
  claimsOf,
  CREATED_AT,
  Forge,
  KID,
  type Claims,
} from '../support/provider/token-forge.ts';

const forge = new Forge(2048);
const weak = new Forge(1024);
const MINUTE_MS = 60_000;

describe('the ring', () => {
  let key: CryptoKey;
  beforeAll(async () => {
    const keys = await readSigningKeys(asJson(forge.set));
    key = keys?.[0]?.key as CryptoKey;
  });

  function openRing(initial: readonly string[]) {
    let kids: readonly (string | null)[] = initial;
    let outage = false;
    let reads = 0;
    let gate: Promise<void> | null = null;
    const read = async (): Promise<readonly SigningKey[]> => {
      reads += 1;
      await gate;
      if (outage) throw new Refusal('provider.unavailable');
      return kids.map((kid) => ({ kid, key }));
    };
    const ring = new ProviderKeySet(read);
    return {
      find: async (kid: string | null, at = 0) => ring.find(kid, START_OF_TIME + at),
      reads: () => reads,
      publish: (next: readonly (string | null)[]) => void (kids = next),
      fail: (fails: boolean) => void (outage = fails),
      hold: (until: Promise<void>) => void (gate = until),
    };
  }

  it('K-1: a hundred calls at once share one read', async () => {
    const { find, reads, hold } = openRing(['a']);
    const held = Promise.withResolvers<void>();
    hold(held.promise);
    const all = Array.from({ length: 100 }, async () => find('a'));
    held.resolve();
    await expect(Promise.all(all)).resolves.toHaveLength(100);
    expect(reads()).toBe(1);
  });

  it('K-2: a key that was made after the last read is found', async () => {
    const { find, reads, publish } = openRing(['a']);
    await find('a');
    publish(['a', 'b']);
    await expect(find('b', 1)).resolves.toBe(key);
    expect(reads()).toBe(2);
  });

  it('K-2: a thousand invented kids lead to two reads, and right ones go on passing', async () => {
    const { find, reads } = openRing(['a']);
    const flood = Array.from({ length: 1000 }, async (_, at) => find(`no-${at}`));
    const settled = await Promise.allSettled(flood);
    expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
    await expect(find('late', 1000)).rejects.toThrow(TokenFault);
    for (let second = 2; second <= 30; second += 1) {
      // Nobody knows yet whether the provider has this key.
      await expect(find(`late-${second}`, second * 1000)).rejects.toMatchObject({
        code: 'provider.unavailable',
        details: { retryAfterSeconds: 31 - second },
      });
    }
    expect(reads()).toBe(2);
    await expect(find('a', 30_999)).resolves.toBe(key);
    await expect(find('no', 31_000)).rejects.toThrow(TokenFault);
    expect(reads()).toBe(3);
  });

  it('K-2: a new key that comes while the read for an invented one is under way is found', async () => {
    const { find, reads, publish, hold } = openRing(['a']);
    await find('a');
    const held = Promise.withResolvers<void>();
    hold(held.promise);
    publish(['a', 'b']);
    const invented = find('no', 1);
    const genuine = find('b', 2);
    held.resolve();
    await expect(invented).rejects.toThrow(TokenFault);
    await expect(genuine).resolves.toBe(key);
    expect(reads()).toBe(2);
  });

  it('K-2: while the read for a new key fails, nobody is told that the key is wrong', async () => {
    const { find, fail, publish } = openRing(['a']);
    await find('a');
    fail(true);
    for (const at of [1, 2, 20_000]) {
      expect((await refusalOf(find('b', at))).code).toBe('provider.unavailable');
    }
    fail(false);
    publish(['b']);
    await expect(find('b', 30_001)).resolves.toBe(key);
  });

  it('K-3: old keys stay while the set cannot be read, for a day', async () => {
    const { find, fail, reads } = openRing(['a']);
    await find('a');
    fail(true);
    for (const at of [10, 60, 23 * 60]) {
      await expect(find('a', at * MINUTE_MS)).resolves.toBe(key);
    }
    expect(reads()).toBe(4);
    expect((await refusalOf(find('a', 24 * 60 * MINUTE_MS))).code).toBe('provider.unavailable');
  });

  it('K-3: a provider that is down is not asked by every call', async () => {
    const { find, fail, reads } = openRing(['a']);
    fail(true);
    for (const at of [0, 1000, 4999]) await refusalOf(find('a', at));
    expect(reads()).toBe(1);
    fail(false);
    await expect(find('a', 5000)).resolves.toBe(key);
  });

  it('drops a key that the provider took back, ten minutes later at the latest', async () => {
    const { find, publish } = openRing(['a']);
    await find('a');
    publish(['b']);
    await expect(find('a', 10 * MINUTE_MS - 1)).resolves.toBe(key);
    await expect(find('a', 10 * MINUTE_MS)).rejects.toThrow(TokenFault);
  });

  it('K-4: no kid needs a single key, and two keys of one kid are none', async () => {
    const { find, publish } = openRing(['a']);
    await expect(find(null)).resolves.toBe(key);
    publish(['a', 'b', 'b']);
    await expect(find(null, 10 * MINUTE_MS)).rejects.toThrow(TokenFault);
    await expect(find('b', 10 * MINUTE_MS)).rejects.toThrow(TokenFault);
    publish([null]);
    await expect(find(null, 20 * MINUTE_MS)).resolves.toBe(key);
  });
});

describe('keys that vouch for nothing', () => {
  const jwk = forge.jwk(forge.keys, { kid: KID });

  it.each([
    ['for encryption', { ...jwk, use: 'enc' }],
    ['without a use', { ...jwk, use: undefined }],
    ['for another algorithm', { ...jwk, alg: 'PS256' }],
    ['for HMAC', { kty: 'oct', k: 'AAAA', use: 'sig', kid: KID }],
    ['elliptic', { ...forge.elliptic.publicKey.export({ format: 'jwk' }), use: 'sig', kid: KID }],
    ['RSA of 1024 bits', weak.jwk(weak.keys, { kid: KID })],
    ['RSA of 2047 bits', { ...jwk, n: `P${String(jwk['n']).slice(1)}` }],
    ['RSA of 16384 bits', { ...jwk, n: Buffer.alloc(2048, 0xff).toString('base64url') }],
    ['with the exponent 1', { ...jwk, e: 'AQ' }],
    ['with the exponent 3', { ...jwk, e: 'Aw' }],
    ['with a private part', { ...jwk, d: 'AAAA' }],
    ['with a kid that is no text', { ...jwk, kid: 1 }],
    ['without a modulus', { ...jwk, n: undefined }],
    ['with a modulus in plain Base64', { ...jwk, n: `${String(jwk['n'])}==` }],
    ['that are no objects', 'key'],
  ])('%s', async (_, one) => {
    const set = asJson({ keys: [one] });
    await expect(readSigningKeys(set)).resolves.toEqual([]);
  });

  it('do not take the good ones with them', async () => {
    const set = asJson({ keys: [{ ...jwk, use: 'enc' }, null, jwk] });
    await expect(readSigningKeys(set)).resolves.toMatchObject([{ kid: KID }]);
  });

  it('a set of more than 32 keys is refused whole', async () => {
    const keys = Array.from({ length: 33 }, (_, at) => ({ ...jwk, kid: `k${at}` }));
    await expect(readSigningKeys(asJson({ keys }))).resolves.toBeNull();
  });
});

describe('the set, over HTTP', () => {
  const push = { transactionId: TRANSACTION_ID, requestId: REQUEST_ID };
  const expected = { ...push, nationalId: NATIONAL_ID, createdAt: CREATED_AT };
  const genuine = { ...push, token: forge.sign(claimsOf('phone')) };

  async function openWith(script: Script) {
    const areaB = await openAreaB(script);
    const { provider, clock } = openProvider(areaB.url);
    return {
      areaB,
      clock,
      verify: async (token = genuine.token) =>
        provider.verifyPush({ ...push, token }, expected, null),
    };
  }

  it.each([
    ['404', text('No Mapping Rule matched', 404), 'provider.misconfigured'],
    ['503', text('down', 503), 'provider.unavailable'],
    ['HTML', raw('<p>keys</p>', 200, { 'content-type': 'text/html' }), 'provider.bad_response'],
    [
      '10 MB',
      raw(Buffer.alloc(10e6, 0x20), 200, { 'content-type': 'application/json' }),
      'provider.bad_response',
    ],
    ['a redirect to the same place', redirectTo('/stg/api/v1/mfa/jwk'), 'provider.bad_response'],
    ['no keys', json({ keys: [] }), 'provider.bad_response'],
    ['keys that are no array', json({ keys: {} }), 'provider.bad_response'],
    [
      'only a weak key',
      json({ keys: [{ ...forge.jwk(forge.keys, { kid: KID }), use: 'enc' }] }),
      'provider.bad_response',
    ],
  ])('%s: the push is answered so that it comes again', async (_, script, code) => {
    const { verify, areaB } = await openWith(script);
    expect(await verify()).toMatchObject({ result: 'unverified', refusal: { code } });
    expect(areaB.calls.map(({ path }) => path)).toEqual(['/stg/api/v1/mfa/jwk']);
  });

  it('a kid is not needed where there is one key', async () => {
    const { verify } = await openWith(json({ keys: [forge.jwk(forge.keys, {})] }));
    const token = forge.sign(claimsOf('phone'), { kid: undefined });
    await expect(verify(token)).resolves.toMatchObject({ result: 'approved' });
  });

  it('a rotation just before the signature is followed', async () => {
    const old = { keys: [forge.jwk(forge.others, { kid: 'old' })] };
    const { verify, areaB, clock } = await openWith(json(old));
    const signed = forge.signText(
      JSON.stringify({ alg: 'RS256', kid: 'old' }),
      JSON.stringify(claimsOf('phone')),
      forge.others.privateKey,
    );
    await expect(verify(signed)).resolves.toMatchObject({ result: 'approved' });
    clock.advance(1000);
    areaB.act(json(forge.set, 200, { 'content-type': 'application/jwk-set+json' }));
    await expect(verify()).resolves.toMatchObject({ result: 'approved' });
    expect(areaB.calls).toHaveLength(2);
  });

  it('a thousand forged kids are one request, and a genuine push passes after them', async () => {
    const { verify, areaB } = await openWith(json(forge.set));
    const claims: Claims = claimsOf('phone');
    // Signed before: on a slow machine that takes longer than a key is not asked for again.
    const forged = Array.from({ length: 1000 }, (_, at) =>
      forge.sign(claims, { kid: `forged-${at}` }),
    );
    const flood = forged.map(async (token) => refusalOf(verify(token)));
    const codes = new Set((await Promise.all(flood)).map(({ code }) => code));
    expect(codes).toEqual(new Set(['push.unverified']));
    expect(areaB.calls).toHaveLength(1);
    await expect(verify()).resolves.toMatchObject({ result: 'approved' });
  });

  it('no claim is looked at before the signature, and a header that is refused asks for no key', async () => {
    const { verify, areaB } = await openWith(json(forge.set));
    await refusalOf(verify(forge.sign(claimsOf('phone'), { jku: `${areaB.url}/evil` })));
    expect(areaB.calls).toEqual([]);
    for (const changes of [{ transId: 'other' }, { exp: 1 }, { aud: 'other' }, { iss: 'other' }]) {
      const claims = claimsOf('phone', changes);
      const header = JSON.stringify({ alg: 'RS256', kid: KID });
      const forged = forge.signText(header, JSON.stringify(claims), forge.foreign.privateKey);
      expect(String((await refusalOf(verify(forged))).cause)).toContain('signature');
      const unknown = await refusalOf(verify(forge.sign(claims, { kid: 'forged' })));
      expect(String(unknown.cause)).toContain('kid unknown');
    }
  });
});
