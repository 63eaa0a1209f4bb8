import { Buffer } from 'node:buffer';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import * as oidc from 'openid-client';
import { describe, expect, it } from 'vitest';
import { share } from '../support/at-end.ts';
import {
  askAs,
  discovered,
  exchange,
  OPENID_CLIENTS,
  openStrictOpenid,
  PORTAL_KEY,
  signedIn,
} from '../support/openid/openid-scene.ts';

/** Attacks on clients that prove who they are by a key of their own (`private_key_jwt`). */

const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const signed = (id: string, key: KeyObject) => ({
  ...OPENID_CLIENTS.portal,
  id,
  keys: [],
  openid: {
    ...OPENID_CLIENTS.portal.openid,
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [key.export({ format: 'jwk' })] },
  },
});

const paired = signed('paired', own.publicKey);
const { backchannel_token_delivery_mode: _mode, ...byBrowser } = paired.openid;
const scene = share((atEnd) =>
  openStrictOpenid(atEnd, [
    OPENID_CLIENTS.portal,
    signed('signer', own.publicKey),
    signed('other', rsa.publicKey),
    signed('sign', stranger.publicKey),
    { ...paired, openid: { ...byBrowser, subject_type: 'pairwise' } },
  ]),
);

/** As a library takes it. */
const keyOf = ({ privateKey }: typeof own) =>
  crypto.subtle.importKey(
    'pkcs8',
    privateKey.export({ format: 'der', type: 'pkcs8' }),
    { name: 'ECDSA', namedCurve: 'P-256' },
    false,
    ['sign'],
  );

const now = () => Math.floor(Date.now() / 1000);

function claims(changes: Readonly<Record<string, unknown>> = {}): JWTPayload {
  const of = { iss: 'signer', sub: 'signer', aud: scene().origin, jti: crypto.randomUUID() };
  return { ...of, exp: now() + 60, ...changes };
}

const sign = (payload: JWTPayload, key: KeyObject | Uint8Array = own.privateKey, alg = 'ES256') =>
  new SignJWT(payload).setProtectedHeader({ alg }).sign(key);

/** Asks about a token: 200 for a client that has proved who it is. */
async function ask(assertion: string, more: Record<string, string> = {}): Promise<number> {
  const form = {
    token: 'nothing',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
    ...more,
  };
  const url = `${scene().origin}/openid/introspect`;
  return (await fetch(url, { method: 'POST', body: new URLSearchParams(form) })).status;
}

describe('threat 126: an assertion of a client', () => {
  it('that its library has signed is taken', async () => {
    const auth = oidc.PrivateKeyJwt(await keyOf(own));
    const config = await discovered(scene().origin, 'signer', auth);
    expect(await oidc.tokenIntrospection(config, 'nothing')).toEqual({ active: false });
    expect(
      await ask(await sign(claims({ iss: 'other', sub: 'other' }), rsa.privateKey, 'PS256')),
    ).toBe(200);
  });

  it('signs people in, with a sub that is of the client alone', async () => {
    const [redirectUri] = paired.openid.redirect_uris;
    const auth = oidc.PrivateKeyJwt(await keyOf(own));
    const subOf = async (id: string, as: oidc.ClientAuth) => {
      const asked = await askAs(scene().origin, { id, redirectUri, auth: as });
      return (await exchange(asked, await signedIn(asked))).claims()?.sub;
    };
    const sub = await subOf('paired', auth);
    expect(sub).toMatch(/^[\w-]{20,}$/);
    expect(await subOf('paired', auth)).toBe(sub);
    expect(await subOf('portal', oidc.ClientSecretBasic(PORTAL_KEY))).not.toBe(sub);
  });

  it('is used once, of twelve at once too', async () => {
    const assertion = await sign(claims());
    const statuses = await Promise.all(Array.from({ length: 12 }, () => ask(assertion)));
    expect(statuses.toSorted((one, two) => one - two)).toEqual([
      200,
      ...Array.from({ length: 11 }, () => 401),
    ]);
    expect(await ask(assertion)).toBe(401);
  });

  it('ends at a part of a second where its client says so, and is used once all the same', async () => {
    const assertion = await sign(claims({ exp: now() + 60.123456 }));
    expect([await ask(assertion), await ask(assertion)]).toEqual([200, 401]);
  });

  it('is not used up by a client whose id is the beginning of its own', async () => {
    const jti = crypto.randomUUID();
    const taken = claims({ iss: 'sign', sub: 'sign', jti: `er${jti}` });
    expect(await ask(await sign(taken, stranger.privateKey))).toBe(200);
    expect(await ask(await sign(claims({ jti })))).toBe(200);
  });

  const WRONG: Readonly<Record<string, () => Promise<string> | string>> = {
    'signed by nobody': () => new UnsecuredJWT(claims()).encode(),
    'signed with a key of somebody else': () => sign(claims(), stranger.privateKey),
    'signed with the key of another client': () => sign(claims(), rsa.privateKey, 'RS256'),
    'signed with the public key as a shared secret': () =>
      sign(claims(), Buffer.from(JSON.stringify(own.publicKey.export({ format: 'jwk' }))), 'HS256'),
    'signed in a way that is not listed': () =>
      sign(claims({ iss: 'other', sub: 'other' }), rsa.privateKey, 'RS512'),
    'for another issuer': () => sign(claims({ aud: 'https://other.example.test' })),
    'for the address of an endpoint': () => sign(claims({ aud: `${scene().origin}/openid/token` })),
    'for the issuer and somebody else': () =>
      sign(claims({ aud: [scene().origin, 'https://other.example.test'] })),
    'for nobody': () => sign(claims({ aud: undefined })),
    'without an end': () => sign(claims({ exp: undefined })),
    'that has expired': () => sign(claims({ exp: now() - 60 })),
    'that is good for two hours': () => sign(claims({ exp: now() + 7200 })),
    'without a name of its own': () => sign(claims({ jti: undefined })),
    'that somebody else has made': () => sign(claims({ iss: 'portal' })),
    'of a client with a secret': () => sign(claims({ iss: 'portal', sub: 'portal' })),
    'of a client that is not there': () => sign(claims({ iss: 'nobody', sub: 'nobody' })),
  };

  it.each(Object.keys(WRONG))('%s proves nothing', async (name) => {
    expect(await ask(await (WRONG[name]?.() ?? ''))).toBe(401);
  });

  it('has no secret beside it, and none in its place', async () => {
    const secret = { client_secret: PORTAL_KEY };
    expect(await ask(await sign(claims()), secret)).toBe(400);
    const body = new URLSearchParams({ token: 'nothing', client_id: 'signer', ...secret });
    const url = `${scene().origin}/openid/introspect`;
    expect((await fetch(url, { method: 'POST', body })).status).toBe(401);
  });
});
