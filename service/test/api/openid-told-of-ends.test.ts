import { decodeJwt } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import type { ClientEntry } from '../../../scripts/rehearsal.ts';
import type { UserId } from '../../src/account/user.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/values/time.ts';
import { startPush } from '../support/openid/ciba.ts';
import { receiverOfLogouts } from '../support/openid/logout-receiver.ts';
import { exchange, openidBrowser, signedIn } from '../support/openid/openid-scene.ts';
import { openSso, SSO_CLIENTS } from '../support/openid/sso-scene.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';

/** Back-channel logout of what an operator has ended. */

const AT = Date.now();
const told = (entry: ClientEntry, uri: string, members: object = {}): ClientEntry => ({
  ...entry,
  openid: { ...(entry.openid as object), backchannel_logout_uri: uri, ...members },
});

async function opened(path = '', members: object = {}) {
  const receiver = await receiverOfLogouts(onTestFinished);
  const shop = told(SSO_CLIENTS.shop, receiver.uri + path, members);
  const scene = await openSso(onTestFinished, [shop, SSO_CLIENTS.desk, SSO_CLIENTS.alone]);
  const store = await openStoreBeside(scene.service);
  return { ...scene, receiver, store };
}

/** What a client is still to be told of. */
const left = (store: Store) =>
  store.leaseEnded({ client: 'shop', at: AT + HOUR_MS, until: AT, limit: 9 });

async function personOf(store: Store, claims: Readonly<Record<string, unknown>>): Promise<UserId> {
  const user = await store.findSubject(String(claims['sub']));
  if (user === null) throw new Error('nobody has that sub');
  return user.id;
}

const ENDS: Readonly<Record<string, (store: Store, userId: UserId) => Promise<unknown>>> = {
  'the person is disabled': (store, userId) => store.disableUser(userId, AT),
  'the person is revoked': (store, userId) => store.revokeAll(AT, { userId }),
  'the client is revoked': (store) => store.revokeAll(AT, { client: 'shop' }),
  'everything is revoked': (store) => store.revokeAll(AT, 'all'),
  'the person is erased': (store, userId) =>
    store.eraseUser({ userId, at: AT, pushesOf: [], keepsOut: null }),
};

it.each(Object.entries(ENDS))('a client is told that %s, once', async (_, end) => {
  const { signIn, receiver, store, origin } = await opened();
  const { claims } = await signIn('shop');
  await signIn('alone');
  await end(store, await personOf(store, claims));
  await expect.poll(() => receiver.tokens).toHaveLength(1);
  const [token = ''] = receiver.tokens;
  expect(decodeJwt(token)).toMatchObject({ iss: origin, aud: 'shop', sub: claims['sub'] });
  await expect.poll(() => left(store)).toEqual([]);
  expect(receiver.tokens).toHaveLength(1);
});

it('by the sid of each session where it needs that, long after the tokens have expired', async () => {
  const own = await opened('', { backchannel_logout_session_required: true });
  const first = await own.signIn('shop');
  await own.answered(first.browser, 'shop', { parameters: { prompt: 'none' } });
  const second = await own.signIn('shop');
  own.advance(60 * MINUTE_MS);
  await own.store.disableUser(await personOf(own.store, first.claims), AT);
  await expect.poll(() => own.receiver.tokens).toHaveLength(2);
  const heard = own.receiver.tokens.map((token) => decodeJwt(token)['sid']);
  const sids = [first, second].map(({ claims }) => claims['sid']);
  expect(new Set(heard)).toEqual(new Set(sids));
});

it('of a push without a browser too', async () => {
  const own = await opened('', { backchannel_token_delivery_mode: 'poll' });
  const { config } = await own.requestOf('shop');
  const push = await startPush(config, { login_hint: '1000001101' });
  await own.decideOnPhone('1000001101');
  const tokens = await push.end();
  const claims = { ...tokens.claims() };
  await own.store.revokeAll(AT, { userId: await personOf(own.store, claims) });
  await expect.poll(() => own.receiver.tokens).toHaveLength(1);
  expect(decodeJwt(own.receiver.tokens[0] ?? '')).toMatchObject({ sub: claims['sub'] });
});

it('of a sign-in whose logout it has not taken', async () => {
  const { signIn, receiver, store, origin } = await opened('/500');
  const { browser, tokens, claims } = await signIn('shop');
  await browser.open(`${origin}/openid/logout?id_token_hint=${tokens.id_token}`);
  expect(receiver.tokens).toHaveLength(1);
  await store.disableUser(await personOf(store, claims), AT);
  await expect.poll(() => receiver.tokens).toHaveLength(2);
});

it('of a sign-in whose code was used twice, because the application may have begun a session', async () => {
  const { requestOf, receiver, store } = await opened();
  const browser = openidBrowser();
  const asked = await requestOf('shop');
  const back = await signedIn(asked, { browser, person: 'amal', decision: 'approve' });
  const tokens = await exchange(asked, back);
  await expect(exchange(asked, back)).rejects.toMatchObject({ error: 'invalid_grant' });
  await store.disableUser(await personOf(store, { ...tokens.claims() }), AT);
  await expect.poll(() => receiver.tokens).toHaveLength(1);
});

it('one that does not take it is told again, and the log has no token of it', async () => {
  const own = await opened('/500');
  const { claims } = await own.signIn('shop');
  await own.store.disableUser(await personOf(own.store, claims), AT);
  await expect.poll(() => own.receiver.tokens).toHaveLength(1);
  const lines = () =>
    own.service.logLines.filter((line) => line.includes('told yet that a sign-in'));
  await expect.poll(lines).toHaveLength(1);
  expect(lines()[0]).toContain('shop: its backchannel_logout_uri has answered 500');
  own.advance(MINUTE_MS);
  await expect.poll(() => own.receiver.tokens).toHaveLength(2);
  const [first = '', second = ''] = own.receiver.tokens;
  expect(decodeJwt(second)['jti']).not.toBe(decodeJwt(first)['jti']);
  expect(lines()).toHaveLength(1);
  const log = own.service.logLines.join('');
  for (const secret of [first, second, String(claims['sub'])]) expect(log).not.toContain(secret);
});

it('one whose address has left the clients file is not called', async () => {
  const own = await opened();
  const { claims, browser } = await own.signIn('shop');
  await own.reload([SSO_CLIENTS.shop, told(SSO_CLIENTS.alone, own.receiver.uri)]);
  await own.signIn('alone', { browser });
  await own.store.disableUser(await personOf(own.store, claims), AT);
  await expect.poll(() => own.receiver.tokens).toHaveLength(1);
  expect(decodeJwt(own.receiver.tokens[0] ?? '')['aud']).toBe('alone');
  expect(await left(own.store)).toHaveLength(1);
});
