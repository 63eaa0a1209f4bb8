import { describe, expect, it, onTestFinished } from 'vitest';
import { Refusal } from '../../src/errors/refusal.ts';
import { parseSigningKeys, rotated, SIGNING_KEYS } from '../../src/account/openid-keys.ts';
import { newSigningKeys } from '../../src/platform/keys/signing-keys.ts';
import { createMemoryStore } from '../../src/store/index.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import {
  interactionOf,
  ask,
  OPENID_CLIENTS,
  openidBrowser,
  openStrictOpenid,
  signedIn,
  writtenRequest,
} from '../support/openid/openid-scene.ts';
import { createFakeClock } from '../support/service/fake-clock.ts';
import { openTestService } from '../support/service/test-service.ts';

/** What the OpenID Provider tells while the store can't be read or written. */

const away = () => Promise.reject(new Refusal('storage.unavailable'));

async function withBrokenStore(which: 'putOpenid' | 'findOpenid' | 'removeOpenid') {
  const memory = createMemoryStore();
  let isBroken = false;
  const store: Store = {
    ...memory,
    putOpenid: (record) => (isBroken && which === 'putOpenid' ? away() : memory.putOpenid(record)),
    findOpenid: (name) => (isBroken && which === 'findOpenid' ? away() : memory.findOpenid(name)),
    removeOpenid: (name) =>
      isBroken && which === 'removeOpenid' ? away() : memory.removeOpenid(name),
  };
  const settings = { RATE_LIMITS: 'off', OPENID: 'on' };
  const parts = { openStore: async () => store };
  const service = await openTestService({ settings, parts, atEnd: onTestFinished });
  await service.app.inject('/openid/jwks');
  isBroken = true;
  return service;
}

const REQUEST = writtenRequest('demo', 'http://127.0.0.1:9/cb');

describe('while the store is not there', () => {
  it('a request of a browser goes back as temporarily unavailable', async () => {
    const service = await withBrokenStore('putOpenid');
    const answer = await service.app.inject(`/openid/authorize?${REQUEST.toString()}`);
    const { searchParams } = new URL(String(answer.headers.location));
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual([
      'temporarily_unavailable',
      'own',
    ]);
  });

  it('a back end is told so, with 503', async () => {
    const service = await withBrokenStore('findOpenid');
    const answer = await service.app.inject({
      method: 'POST',
      url: '/openid/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'client_id=demo&grant_type=authorization_code&code=x&redirect_uri=y',
    });
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
  });

  it('a logout is an error page, with 503: removeOpenid', async () => {
    const service = await withBrokenStore('removeOpenid');
    const url = '/openid/logout?ui_locales=en';
    const { statusCode, payload, headers } = await service.app.inject({ url });
    expect([statusCode, headers.location]).toEqual([503, undefined]);
    expect(payload).toContain('You could not be signed out');
  });

  it('a logout of somebody is an error page, with 503: followOpenid', async () => {
    const memory = createMemoryStore();
    let isBroken = false;
    const followOpenid: Store['followOpenid'] = (...of) =>
      isBroken ? away() : memory.followOpenid(...of);
    const parts = { openStore: async () => ({ ...memory, followOpenid }) };
    const own = await openStrictOpenid(onTestFinished, [OPENID_CLIENTS.portal], {}, parts);
    const browser = openidBrowser();
    await signedIn(await ask(own, { id: 'portal' }), { browser });
    isBroken = true;
    const page = await browser.open(`${own.origin}/openid/logout?ui_locales=en`);
    expect([page.status, page.location]).toEqual([503, null]);
    expect(page.html).toContain('You could not be signed out');
  });

  it('the page before the sign-in is an error page, with 503', async () => {
    const service = await withBrokenStore('findOpenid');
    const begun = await service.app.inject(`/openid/authorize?${REQUEST.toString()}`);
    const cookie = begun.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const page = await service.app.inject({
      url: interactionOf({ html: begun.payload, url: new URL('http://localhost') })?.pathname ?? '',
      headers: { cookie },
    });
    expect(page.statusCode).toBe(503);
    expect(page.payload).toContain('<html lang="ar" dir="rtl">');
  });
});

describe('the signing keys', () => {
  it('are read again after ten seconds, and kept while the store is not there', async () => {
    const memory = createMemoryStore();
    let isBroken = false;
    const findOpenid: Store['findOpenid'] = (name) => (isBroken ? away() : memory.findOpenid(name));
    const clock = createFakeClock();
    const settings = { RATE_LIMITS: 'off', OPENID: 'on' };
    const parts = { openStore: async () => ({ ...memory, findOpenid }) };
    const service = await openTestService({ settings, parts, clock, atEnd: onTestFinished });
    const published = async () => (await service.app.inject('/openid/jwks')).json<unknown>();
    const first = await published();
    isBroken = true;
    clock.advance(10_000);
    expect(await published()).toEqual(first);
    isBroken = false;
    const from = (await memory.findOpenid(SIGNING_KEYS))?.body ?? '';
    const to = JSON.stringify(rotated(parseSigningKeys(from), await newSigningKeys(), 0));
    await memory.replaceOpenid({ ...SIGNING_KEYS, from, to, at: clock.now() });
    clock.advance(9_999);
    expect(await published()).toEqual(first);
    clock.advance(1);
    expect(await published()).not.toEqual(first);
  });
});
