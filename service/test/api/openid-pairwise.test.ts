import * as oidc from 'openid-client';
import { expect, it } from 'vitest';
import { writeClientsFile, type ClientEntry } from '../../../scripts/rehearsal.ts';
import { parseSigningKeys, rotated, SIGNING_KEYS } from '../../src/account/openid-keys.ts';
import { newSigningKeys } from '../../src/platform/keys/signing-keys.ts';
import { share, temporaryFolder, type AtEnd } from '../support/at-end.ts';
import { signInOf } from '../support/openid/demo-sign-in.ts';
import { openOpenid } from '../support/openid/openid-scene.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';

/** Clients that know a person by a `sub` of their own (OpenID Connect Core, section 8.1). */

const REDIRECTS: Readonly<Record<string, string>> = {
  one: 'https://clinic.example.test/one',
  two: 'https://clinic.example.test/two',
  elsewhere: 'https://bank.example.test/cb',
  everybody: 'https://clinic.example.test/everybody',
};

const clients = Object.entries(REDIRECTS).map(([id, address]): ClientEntry => ({
  id,
  name: { ar: 'تجربة', en: 'Trial' },
  type: 'confidential',
  return_addresses: [],
  keys: [`mfk_of_${id}_0123456789`],
  openid: {
    redirect_uris: [address],
    ...(id === 'everybody' ? {} : { subject_type: 'pairwise' }),
  },
}));

async function open(atEnd: AtEnd) {
  const CLIENTS_FILE = writeClientsFile(temporaryFolder('pairwise', atEnd), clients);
  return openOpenid(atEnd, { CLIENTS_FILE });
}

const scene = share(open);

const clientOf = (id: string) => ({
  id,
  secret: `mfk_of_${id}_0123456789`,
  redirectUri: REDIRECTS[id] ?? '',
});

async function signedIn(id: string, parameters: Record<string, string> = {}) {
  const client = { ...clientOf(id), parameters };
  const { config, back, verifier } = await signInOf(scene().origin, client);
  const checks = { pkceCodeVerifier: verifier };
  const tokens = await oidc.authorizationCodeGrant(config, back, checks);
  return { config, tokens, sub: String(tokens.claims()?.sub) };
}

it('clients at one host know a person by the same sub, others by another one, each time', async () => {
  const one = await signedIn('one');
  const two = await signedIn('two');
  const elsewhere = await signedIn('elsewhere');
  const everybody = await signedIn('everybody');
  expect(two.sub).toBe(one.sub);
  expect(new Set([one.sub, elsewhere.sub, everybody.sub]).size).toBe(3);
  expect((await signedIn('one')).sub).toBe(one.sub);
});

it('ID token, userinfo and introspection say the same sub', async () => {
  const { config, tokens, sub } = await signedIn('one');
  // The library refuses another one.
  expect((await oidc.fetchUserInfo(config, tokens.access_token, sub)).sub).toBe(sub);
  expect((await oidc.tokenIntrospection(config, tokens.access_token)).sub).toBe(sub);
});

it('a hint of who should sign in is that sub too', async () => {
  const { tokens, sub } = await signedIn('one');
  const hinted = await signedIn('one', { id_token_hint: String(tokens.id_token) });
  expect(hinted.sub).toBe(sub);
});

it.each(['one', 'everybody'])('%s gets nobody else than the hint names', async (id) => {
  const { tokens } = await signedIn(id);
  const { back } = await signInOf(scene().origin, {
    ...clientOf(id),
    parameters: { id_token_hint: String(tokens.id_token) },
    person: 'faisal',
  });
  expect(back.searchParams.get('error')).toBe('login_required');
  expect(back.searchParams.has('code')).toBe(false);
});

it('it stays the same over rotated signing keys and the end of all tokens, and the store keeps its salt', async () => {
  const before = await signedIn('one');
  const store = await openStoreBeside(scene().service);
  const salt = await store.findOpenid({ model: 'SubjectSalt', id: 'current' });
  expect(salt).toMatchObject({
    expiresAt: null,
    body: expect.stringMatching(/^[\w-]{43}$/) as string,
  });
  const from = (await store.findOpenid(SIGNING_KEYS))?.body ?? '';
  const keys = parseSigningKeys(from);
  const to = JSON.stringify(rotated(keys, await newSigningKeys(), 0));
  await store.replaceOpenid({ ...SIGNING_KEYS, from, to, at: 0 });
  await store.revokeAll(Date.now(), 'all');
  expect((await signedIn('one')).sub).toBe(before.sub);
});

it('discovery says so', async () => {
  const answer = await fetch(`${scene().origin}/.well-known/openid-configuration`);
  expect(await answer.json()).toMatchObject({ subject_types_supported: ['public', 'pairwise'] });
});
