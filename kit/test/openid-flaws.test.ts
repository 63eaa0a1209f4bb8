import { createPublicKey, verify, type JsonWebKeyInput } from 'node:crypto';
import { ID_TOKEN_FLAWS } from '@miftah/simulator/engine';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectMiftah, type IdTokenFlaw, type TestMiftah } from '../src/index.ts';
import { asked, configured, PORTAL } from './support/openid.ts';
import { opened, share } from './support/instances.ts';

/** Wrong ID tokens, which a client that checks them refuses for the one thing that is wrong; and keys. */

const SCOPE = 'openid offline_access';
const RS256 = { ...PORTAL, openid: { ...PORTAL.openid, scope: SCOPE } } as const;
const ES256 = {
  ...RS256,
  id: 'wallet',
  keys: ['mfk_wallet_0123456789'],
  openid: { ...RS256.openid, idTokenSignedResponseAlg: 'ES256' },
} as const;

/** What openid-client says of each. */
const REFUSED: Readonly<Record<IdTokenFlaw, RegExp>> = {
  wrong_signature: /signature/,
  wrong_audience: /"aud"/,
  wrong_nonce: /"nonce"/,
  wrong_issuer: /"iss"/,
  alg_none: /"alg"/,
  expired: /"exp"/,
};

type Sign = (miftah: TestMiftah, config: oidc.Configuration) => Promise<() => Promise<Tokens>>;
type Tokens = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;

const byCode: Sign = async (miftah, config) => {
  const expectedNonce = oidc.randomNonce();
  const { address, checks } = await asked(config, 'openid', { nonce: expectedNonce });
  const { returnAddress } = await miftah.browser.approve(address);
  return () => oidc.authorizationCodeGrant(config, returnAddress, { ...checks, expectedNonce });
};

const byRefresh: Sign = async (miftah, config) => {
  const { address, checks } = await asked(config, SCOPE, { prompt: 'consent' });
  const { returnAddress } = await miftah.browser.approve(address);
  const { refresh_token = '' } = await oidc.authorizationCodeGrant(config, returnAddress, checks);
  return () => oidc.refreshTokenGrant(config, refresh_token);
};

const byPush: Sign = async (miftah, config) => {
  const login_hint = miftah.people.amal.nationalId;
  const asking = { scope: 'openid', login_hint };
  const begun = await oidc.initiateBackchannelAuthentication(config, asking);
  await miftah.phone.approve();
  return () => oidc.pollBackchannelAuthenticationGrant(config, { ...begun, interval: 0 });
};

/** What a library says, with what it says of the cause. */
async function saidBy(tokens: Promise<Tokens>): Promise<string> {
  try {
    await tokens;
    return 'accepted';
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return `${String(error)} ${String(cause)} ${JSON.stringify(cause)}`;
  }
}

/** openid-client looks at the signature of what came over TLS from the provider itself only if told. */
const CHECKED = [oidc.enableNonRepudiationChecks];

const CIBA = 'urn:openid:params:grant-type:ciba';

interface JwtHeader {
  readonly alg: string;
  readonly kid: string;
}

function isSigned(token: string, keySet: unknown): boolean {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
  const { keys } = keySet as { keys: (JsonWebKeyInput['key'] & { kid: string })[] };
  const key = createPublicKey({ key: keys.find((one) => one.kid === kid) ?? {}, format: 'jwk' });
  const how = { key, dsaEncoding: 'ieee-p1363' } as const;
  const text = Buffer.from(`${header}.${payload}`);
  return verify('sha256', text, how, Buffer.from(signature, 'base64url'));
}

describe('the next ID token', () => {
  const shared = share({ clients: [RS256, ES256] });

  it.each([
    ...ID_TOKEN_FLAWS.map((flaw) => [flaw, 'a code', byCode, RS256] as const),
    ['wrong_signature', 'a refresh', byRefresh, ES256],
    ['expired', 'a push', byPush, ES256],
  ] as const)(
    'with %s of %s is refused for it, and the one after it is right',
    async (flaw, _, sign, client) => {
      const miftah = shared();
      const config = await configured(miftah, client.id, client.keys[0], CHECKED);
      const wrong = await sign(miftah, config);
      await miftah.openid.nextIdToken(flaw);
      expect(await saidBy(wrong())).toMatch(REFUSED[flaw]);
      const right = await sign(miftah, config);
      expect(await saidBy(right())).toBe('accepted');
    },
  );

  /** As it is, without a library that looks at it. */
  const flawedToken = async ({ id, keys }: typeof RS256 | typeof ES256, flaw: IdTokenFlaw) => {
    const miftah = shared();
    const config = await configured(miftah, id, keys[0]);
    const asking = { scope: 'openid', login_hint: miftah.people.amal.nationalId };
    const { auth_req_id } = await oidc.initiateBackchannelAuthentication(config, asking);
    await miftah.phone.approve();
    await miftah.openid.nextIdToken(flaw);
    const authorization = `Basic ${btoa(`${id}:${keys[0]}`)}`;
    const body = new URLSearchParams({ auth_req_id, grant_type: CIBA });
    const sent = { method: 'POST', headers: { authorization }, body };
    const answer = await fetch(`${miftah.url}/openid/token`, sent);
    return ((await answer.json()) as { id_token: string }).id_token;
  };
  const keySet = async (): Promise<unknown> => (await fetch(`${shared().url}/openid/jwks`)).json();

  it.each([RS256, ES256])('with a wrong claim has a good signature: $id', async (client) => {
    const token = await flawedToken(client, 'wrong_issuer');
    expect(isSigned(token, await keySet())).toBe(true);
    expect(isSigned(token.replace('.', '.e30'), await keySet())).toBe(false);
  });

  it('without a signature names a key all the same, as one that is forged does', async () => {
    const [header = '', , signature] = (await flawedToken(RS256, 'alg_none')).split('.');
    const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as JwtHeader;
    expect([alg, signature]).toEqual(['none', '']);
    expect(JSON.stringify(await keySet())).toContain(`"${kid}"`);
  });

  it('is wrong in the scope of the test alone, until that is reset', async () => {
    const miftah = shared();
    const scoped = await connectMiftah(miftah.url, { scope: 'worker-1' });
    onTestFinished(() => scoped.stop());
    const [id, secret] = [RS256.id, RS256.keys[0]];
    const [here, there] = [id, `${id}@worker-1`];
    const tokens = async (one: TestMiftah, named: string) =>
      saidBy((await byCode(one, await configured(miftah, named, secret)))());
    await scoped.openid.nextIdToken('expired');
    expect(await tokens(miftah, here)).toBe('accepted');
    expect(await tokens(scoped, there)).toMatch(REFUSED.expired);
    await scoped.openid.nextIdToken('expired');
    await scoped.reset();
    expect(await tokens(scoped, there)).toBe('accepted');
  });

  it('is refused where nothing gives one out, and where it would be no flaw', async () => {
    const plain = await opened();
    await expect(plain.openid.nextIdToken('expired')).rejects.toThrow('openid.elsewhere: ');
    // @ts-expect-error -- What JavaScript may say.
    await expect(plain.openid.nextIdToken('expird')).rejects.toThrow(
      'openid.nextIdToken: flaw is one of wrong_signature, ',
    );
  });
});

describe('the keys', () => {
  it('sign next what the list has had, and after another rotation what it has not', async () => {
    const miftah = await opened({ openid: true });
    // Also where nobody has asked for a key before.
    const first = await fetch(`${miftah.url}/simulator/openid/keys/rotate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(await first.json()).toEqual({ data: { rotated: true } });
    const listed = async () => {
      const list: unknown = await (await fetch(`${miftah.url}/openid/jwks`)).json();
      return (list as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
    };
    const signing = async () => {
      const config = await configured(miftah, 'demo-web', 'mfk_test_demo_web', CHECKED);
      const tokens = await byCode(miftah, config);
      const [header = ''] = (await tokens()).id_token?.split('.') ?? [];
      return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }).kid;
    };
    const atFirst = [await signing(), ...(await listed())];
    await miftah.openid.rotateKeys();
    const next = await signing();
    expect(atFirst.slice(1)).toContain(next);
    expect(next).not.toBe(atFirst[0]);
    // A second rotation is as good at once, also where the time stands still.
    await miftah.clock.freeze();
    await miftah.openid.rotateKeys();
    const unknown = await signing();
    expect(atFirst).not.toContain(unknown);
    expect(await listed()).toEqual(expect.arrayContaining([next, unknown]));
  });

  it.each([[{}], [{ openid: true, strict: true }]])('are not rotated where %j', async (options) => {
    const miftah = await opened(options);
    await expect(miftah.openid.rotateKeys()).rejects.toThrow('openid.elsewhere: ');
  });
});
