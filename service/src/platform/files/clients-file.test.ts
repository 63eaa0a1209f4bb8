import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashClientKey } from '../../account/client.ts';
import { USUAL_LIMITS } from '../../values/limits.ts';
import { readClientsFile } from './clients-file.ts';

const KEY = hashClientKey('mfk_a_key_for_tests');
const SHOP = {
  id: 'shop',
  name: { ar: 'متجر', en: 'Shop' },
  type: 'public',
  return_addresses: ['https://shop.example.test/return?from=login', 'http://localhost:8080/'],
  code_in: 'fragment',
  keys: [KEY],
  keyless: ['oidc'],
};

function fileWith(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-clients-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'clients.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function errorOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return String(error);
  }
  throw new Error('It has not failed.');
}

const read = (...clients: unknown[]) => readClientsFile(fileWith({ clients }));

const jwkOf = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ format: 'jwk' });

const readWrong = () => read({ ...SHOP, type: 'x', code_in: 'y' }, { ...SHOP, id: 'B' });

describe('the clients file', () => {
  // A device that says nothing has ended at once; it stands for those that never end, and for pipes.
  it.each([
    ['/dev/null', 'it is no regular file'],
    [tmpdir(), 'it is a folder (EISDIR)'],
  ])('is a regular file, and %s is none', (path, fault) => {
    expect(() => readClientsFile(path)).toThrow(`${path} can't be used:\n  - ${fault}`);
  });

  it('has an end', () => {
    const path = fileWith('');
    truncateSync(path, 2 ** 24 + 1);
    expect(() => readClientsFile(path)).toThrow('it has more than 16777216 bytes');
  });

  it('gives each client as it stands there', () => {
    expect(read(SHOP)).toEqual([
      {
        id: 'shop',
        name: { ar: 'متجر', en: 'Shop' },
        type: 'public',
        returnAddresses: SHOP.return_addresses,
        returnsToLoopback: false,
        codeIn: 'fragment',
        keys: [KEY],
        keyless: ['oidc'],
        limits: USUAL_LIMITS,
        webhooks: [],
        openid: null,
      },
    ]);
  });

  it('counts the characters of a name and not their UTF-16 units', () => {
    const name = { ar: 'م'.repeat(100), en: '😀'.repeat(100) };
    expect(read({ ...SHOP, id: 'a'.repeat(63), name })).toMatchObject([{ name }]);
  });

  it('may leave out what has a plain meaning when it is not there', () => {
    const { code_in: _, keyless: __, ...short } = SHOP;
    expect(read(short)).toMatchObject([{ codeIn: 'query', keyless: [] }]);
  });

  it.each<[string, object, RegExp]>([
    ['an id with a blank', { id: 'a b' }, /"id" must be/],
    ['an id that is too long', { id: 'k'.repeat(64) }, /\(k{63}…\): "id" must be .* at most 63/],
    [
      'a name that is too long',
      { name: { ar: 'م'.repeat(101), en: 'Shop' } },
      /"ar" of "name" must have at most 100 characters$/,
    ],
    ['no name in Arabic', { name: { en: 'Shop' } }, /"name" must have/],
    [
      'half of a surrogate pair',
      { name: { ar: 'م', en: 'S\ud800' } },
      /"name\/en" is not valid text/,
    ],
    [
      'a name that steers a terminal',
      { name: { ar: 'م', en: 'S\u001B[31mhop' } },
      /"name" must have no control characters/,
    ],
    [
      'a name that turns the text after it around',
      { name: { ar: 'م', en: 'S\u202Ehop' } },
      /"name" must have no control characters, and no marks that turn/,
    ],
    [
      'a name that isolates what is in it',
      { name: { ar: '\u2066م', en: 'Shop' } },
      /"name" must have no control characters, and no marks that turn/,
    ],
    [
      'an address with NUL',
      { return_addresses: ['https://a.test/\u0000'] },
      /"return_addresses\/0" is not valid text/,
    ],
    ['no type', { type: 'secret' }, /"type" must be public or confidential$/],
    ['a misspelt type', { type: 'confidental' }, /confidential \(did you mean "confidential"\?\)$/],
    ['no address', { return_addresses: [] }, /"return_addresses" is empty/],
    ['an address in the clear', { return_addresses: ['http://a.test/'] }, /must be an https/],
    [
      'two of several, by their places and without their text',
      { return_addresses: ['http://a.test/', 'https://b.test/', 'mfk_key'] },
      /^(?!.*(?:a\.test|mfk_)).*: "return_addresses\[0\]", "return_addresses\[2\]" must be an https/s,
    ],
    ['a fragment', { return_addresses: ['https://a.test/#x'] }, /must be an https/],
    ['an empty fragment', { return_addresses: ['https://a.test/#'] }, /must be an https/],
    ['a password', { return_addresses: ['https://u:p@a.test/'] }, /must be an https/],
    ['a script', { return_addresses: ['javascript:alert(1)'] }, /must be an https/],
    [
      'a name that begins with localhost',
      { return_addresses: ['http://localhost.a.test/'] },
      /must be an https/,
    ],
    ['one address, not a list', { return_addresses: 'https://a.test/' }, /must be a list/],
    ['another place for the code', { code_in: 'cookie' }, /"code_in" must be query or fragment/],
    ['a key in the clear', { keys: ['mfk_a_key_for_tests'] }, /never the key/],
    ['a number for a key', { keys: [1] }, /never the key/],
    ['an unknown flow', { keyless: ['sms'] }, /"keyless\[0\]" must be one of/],
    [
      'a confidential client without a key',
      { type: 'confidential', keys: [], keyless: [] },
      /needs a key/,
    ],
    ['a confidential client that is keyless', { type: 'confidential' }, /only a public client/],
    [
      'no way in',
      { keys: [], keyless: [] },
      /neither a key nor a keyless flow: "keyless" may have oidc, mfa$/,
    ],
    [
      'a misspelt member',
      { return_adresses: [] },
      /unknown: return_adresses \(did you mean "return_addresses"\?\)/,
    ],
    ['no member of addresses', { return_addresses: undefined }, /"return_addresses" is missing/],
    [
      'a redirect address in the clear, and nothing else',
      { openid: { redirect_uris: ['http://a.test/'] }, keyless: [] },
      /^[^\n]+\n[^\n]+"redirect_uris\[0\]" must be an https[^\n]+$/,
    ],
  ])('is refused with %s', (_, change, reason) => {
    expect(() => read({ ...SHOP, ...change })).toThrow(reason);
  });

  it.each([
    ['a wrong key', { type: 'confidential', keys: ['mfk_x'], keyless: [] }, /"keys\[0\]" must/],
    ['no key', { type: 'confidential', keys: [], keyless: [] }, /needs a key/],
    ['a wrong flow', { keys: [], keyless: ['sms'] }, /"keyless\[0\]" must/],
  ])('is told of %s by one fault', (_, change, reason) => {
    const error = errorOf(() => read({ ...SHOP, ...change }));
    expect(error.match(/\n {2}- /g)).toHaveLength(1);
    expect(error).toMatch(reason);
  });

  it.each<[string, unknown, RegExp]>([
    ['half of it', '{ "clients": [', /it is not JSON: it ends too early, at line 1, column 15$/],
    ['a comma too many', '{\n  "clients": [],\n}', /JSON: line 2, column 16: a comma before }$/],
    ['one in a list', '{ "clients": [\n  {},\n] }', /JSON: line 2, column 5: a comma before ]$/],
    ['a comma too few', '{ "a": 1\n "b": 2 }', /JSON: line 2, column 2: a comma is missing$/],
    ['nothing', ' \n', /it is empty/],
    ['no list', { clients: {} }, /"clients" must be a list/],
    ['nothing', null, /"clients" must be a list/],
    ['nobody', { clients: [] }, /"clients" is empty/],
    [
      'one id twice',
      { clients: [SHOP, { ...SHOP, keys: [], keyless: ['mfa'] }] },
      /shop is there more than once/,
    ],
    ['one key twice', { clients: [SHOP, { ...SHOP, id: 'b', keyless: [] }] }, /two have the key/],
    [
      'two keyless ones',
      { clients: [SHOP, { ...SHOP, id: 'b', keys: [] }] },
      /only one client may start oidc/,
    ],
  ])('is refused with %s', (_, content, reason) => {
    expect(() => readClientsFile(fileWith(content))).toThrow(reason);
  });

  it('gives what is usual for an OpenID client that leaves it out', () => {
    const redirect_uris = ['https://shop.example.test/cb'];
    const page = { ...SHOP, return_addresses: [], keys: [], keyless: [] };
    const backEnd = { ...page, id: 'bank', type: 'confidential', keys: [KEY] };
    const wished = { redirect_uris, scope: 'openid email', require_pkce: false };
    expect(read({ ...page, openid: { redirect_uris } })[0]?.openid).toEqual({
      redirectUris: redirect_uris,
      postLogoutRedirectUris: [],
      tokenAuthMethod: 'none',
      jwks: [],
      sector: null,
      scopes: ['openid'],
      idTokenAlgorithm: 'RS256',
      requiresPkce: true,
      singleSignOn: false,
      backchannelDelivery: null,
      backchannelLogout: null,
    });
    expect(read({ ...backEnd, openid: wished })[0]?.openid).toMatchObject({
      tokenAuthMethod: 'client_secret_basic',
      scopes: ['openid', 'email'],
      requiresPkce: false,
      singleSignOn: false,
    });
  });

  const URIS = { redirect_uris: ['https://shop.example.test/cb'] };

  it.each([
    [{}, '"redirect_uris" is missing'],
    [{ redirect_uris: [] }, '"redirect_uris" is empty'],
    [{ redirect_uris: ['http://shop.example.test/cb'] }, '"redirect_uris[0]" must be'],
    [
      { ...URIS, scope: 'profile' },
      '"scope" must be openid, and of profile, email, national_id, birthdate',
    ],
    [{ ...URIS, scope: 'openid everything' }, '"scope" must be openid'],
    [{ ...URIS, scope: 'openid openid' }, '"scope" must be openid'],
    [{ ...URIS, token_endpoint_auth_method: 'client_secret_basic' }, 'is none for a public client'],
    [{ ...URIS, token_endpoint_auth_method: 'tls_client_auth' }, 'must be client_secret_basic or'],
    [{ ...URIS, jwks: { keys: [] } }, '"jwks" is needed for private_key_jwt, and for no other'],
    [{ ...URIS, id_token_signed_response_alg: 'none' }, 'must be RS256 or ES256'],
    [{ ...URIS, require_pkce: false }, 'only a confidential client may do without "require_pkce"'],
    [
      { ...URIS, post_logout_redirect_uris: ['com.example.app:/bye'] },
      '"post_logout_redirect_uris[0]" must be an https address',
    ],
    [{ ...URIS, require_pkce: 'no' }, '"require_pkce" must be true or false'],
    [{ ...URIS, redirect_uri: 'x' }, 'unknown: redirect_uri'],
  ])('refuses an OpenID client with %j', (openid, fault) => {
    expect(() => read({ ...SHOP, openid })).toThrow(fault);
  });

  it('refuses single sign-on of a public client at an address of the device', () => {
    const fault = '"sso" of a public client is for https addresses of other machines alone';
    const hosts = [
      '127.1',
      '127.0.0.2',
      'LOCALHOST',
      'localhost.',
      'app.localhost',
      '0.0.0.0',
      '0x7f.1',
    ];
    const numbers = ['::', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:0.0.0.0'];
    for (const address of [
      'com.example.app:/cb',
      'http://127.0.0.1:4000/cb',
      ...[...hosts, ...numbers.map((number) => `[${number}]`)].map((host) => `https://${host}/cb`),
    ]) {
      const openid = { redirect_uris: [...URIS.redirect_uris, address], sso: true };
      expect(() => read({ ...SHOP, openid }), address).toThrow(fault);
    }
    for (const host of ['localhost.example.test', '128.0.0.1', '[2001:db8::1]', 'notlocalhost']) {
      const openid = { redirect_uris: [`https://${host}/cb`], sso: true };
      expect(read({ ...SHOP, openid })[0]?.openid?.singleSignOn, host).toBe(true);
    }
  });

  it('takes single sign-on of a client where it is true, and nothing else for true', () => {
    const on = { ...URIS, sso: true };
    expect(read({ ...SHOP, openid: on })[0]?.openid?.singleSignOn).toBe(true);
    const backEnd = { ...SHOP, type: 'confidential', keyless: [] };
    const onDevice = { redirect_uris: ['http://127.0.0.1:4000/cb'], sso: true };
    expect(read({ ...backEnd, openid: onDevice })[0]?.openid?.singleSignOn).toBe(true);
    const wrong = { ...URIS, sso: 'yes' };
    expect(() => read({ ...SHOP, openid: wrong })).toThrow('"sso" must be true or false');
  });

  const LOGOUT = 'backchannel_logout_uri';

  it('takes the address that an OpenID client is told of a logout at', () => {
    const uri = 'https://shop.example.test/out';
    const told = { ...URIS, [LOGOUT]: uri };
    const bySession = { ...told, backchannel_logout_session_required: true };
    const clients = [told, bySession].map((openid) => read({ ...SHOP, openid })[0]);
    expect(clients.map((client) => client?.openid?.backchannelLogout)).toEqual([
      { uri, needsSession: false },
      { uri, needsSession: true },
    ]);
  });

  it.each([
    [{ [LOGOUT]: 'http://shop.example.test/out' }, '"backchannel_logout_uri" must be an https'],
    [{ [LOGOUT]: 'com.example.app:/out' }, '"backchannel_logout_uri" must be an https'],
    [{ [LOGOUT]: 7 }, '"backchannel_logout_uri" must be an https'],
    [
      { [LOGOUT]: 'https://a.test/', backchannel_logout_session_required: 'yes' },
      '"backchannel_logout_session_required" must be true or false',
    ],
    [{ backchannel_logout_session_required: true }, 'is for "backchannel_logout_uri"'],
  ])('refuses %j for a logout', (members, fault) => {
    expect(() => read({ ...SHOP, openid: { ...URIS, ...members } })).toThrow(fault);
  });

  const PUSHING = { redirect_uris: [], backchannel_token_delivery_mode: 'poll' };

  const PINGED = 'backchannel_client_notification_endpoint';
  const PINGING = { ...PUSHING, backchannel_token_delivery_mode: 'ping' };

  it('takes an OpenID client that is told by ping', () => {
    const backEnd = { ...SHOP, type: 'confidential', keyless: [], return_addresses: [] };
    const [client] = read({ ...backEnd, openid: { ...PINGING, [PINGED]: 'https://a.test/ping' } });
    expect(client?.openid?.backchannelDelivery).toEqual({
      mode: 'ping',
      notificationEndpoint: 'https://a.test/ping',
    });
  });

  it('takes an OpenID client that signs people in without a browser', () => {
    const backEnd = { ...SHOP, type: 'confidential', keyless: [], return_addresses: [] };
    const [client] = read({ ...backEnd, openid: PUSHING });
    expect(client?.openid).toMatchObject({
      redirectUris: [],
      backchannelDelivery: { mode: 'poll' },
    });
  });

  it.each([
    ['public', PUSHING, 'only a confidential client may have "backchannel_token_delivery_mode"'],
    [
      'confidential',
      { ...PUSHING, backchannel_token_delivery_mode: 'push' },
      'must be poll or ping',
    ],
    [
      'confidential',
      { ...PUSHING, backchannel_token_delivery_mode: 'ping' },
      `${PINGED}" is needed`,
    ],
    ['confidential', { ...PUSHING, [PINGED]: 'https://a.test/' }, `${PINGED}" is needed`],
    ['confidential', { ...PINGING, [PINGED]: 'http://a.test/' }, `${PINGED}" must be an https`],
    ['confidential', { ...PUSHING, subject_type: 'pairwise' }, 'is not for "subject_type"'],
    ['confidential', { backchannel_token_delivery_mode: 'poll' }, '"redirect_uris" is missing'],
  ])('refuses a %s client that sends pushes by %j', (type, openid, fault) => {
    const client = { ...SHOP, type, keyless: [], return_addresses: [] };
    expect(() => read({ ...client, openid })).toThrow(fault);
  });

  const TWO = ['https://a.example.test/cb', 'https://b.example.test/cb'];

  it.each([
    [{ redirect_uris: [TWO[0], 'https://a.example.test/other'] }, 'a.example.test'],
    [{ redirect_uris: TWO, sector_identifier: 'example.test' }, 'example.test'],
    [{ redirect_uris: ['http://127.0.0.1:9/cb'] }, '127.0.0.1:9'],
  ])('has the sector of an OpenID client with pairwise subjects: %j', (wished, sector) => {
    const client = { ...SHOP, type: 'confidential', keyless: [] };
    const [read_] = read({ ...client, openid: { ...wished, subject_type: 'pairwise' } });
    expect(read_?.openid?.sector).toBe(sector);
  });

  it.each([
    [{ redirect_uris: TWO, subject_type: 'pairwise' }, '"sector_identifier" is needed where'],
    [{ ...URIS, subject_type: 'pairwise', sector_identifier: 'https://a' }, 'must be a host'],
    [{ ...URIS, subject_type: 'pairwise', sector_identifier: 'A.test' }, 'must be a host'],
    [{ ...URIS, sector_identifier: 'a.test' }, 'is for "subject_type": "pairwise"'],
    [{ ...URIS, subject_type: 'own' }, '"subject_type" must be public or pairwise'],
  ])('refuses the subjects of an OpenID client with %j', (openid, fault) => {
    const client = { ...SHOP, type: 'confidential', keyless: [] };
    expect(() => read({ ...client, openid })).toThrow(fault);
  });

  it('refuses pairwise subjects of a public client, which can not prove who it is', () => {
    const openid = { ...URIS, subject_type: 'pairwise' };
    expect(() => read({ ...SHOP, openid })).toThrow('only a confidential client may have');
  });

  const SIGNED = { ...URIS, token_endpoint_auth_method: 'private_key_jwt' };
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const public_ = jwkOf(elliptic);

  it('has no key of a client that signs with its own, and its public ones', () => {
    const certified = { ...jwkOf(generateKeyPairSync('ed25519')), x5c: ['MIIB'] };
    const jwks = { keys: [{ ...public_, kid: 'a', key_ops: ['verify'] }, certified] };
    const client = { ...SHOP, type: 'confidential', keys: [], keyless: [] };
    const [read_] = read({ ...client, openid: { ...SIGNED, jwks } });
    expect(read_?.openid).toMatchObject({ tokenAuthMethod: 'private_key_jwt', jwks: jwks.keys });
  });

  const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const long = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = generateKeyPairSync('ec', { namedCurve: 'P-384' });

  it.each([
    [undefined, '"jwks" is needed for private_key_jwt'],
    [{ keys: [] }, '"jwks" must be {"keys": [...]} with at most 10 keys'],
    [{ keys: Array.from({ length: 11 }, () => public_) }, 'with at most 10 keys'],
    [{ keys: [elliptic.privateKey.export({ format: 'jwk' })] }, 'a key of "jwks" is private'],
    [{ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }, 'a key of "jwks" is private'],
    [{ keys: [jwkOf(short)] }, 'RSA of at least 2048 bits'],
    [{ keys: [jwkOf(other)] }, 'EC with P-256'],
    [{ keys: [{ ...public_, use: 'enc' }] }, 'each key of "jwks" must be'],
    [{ keys: [{ ...jwkOf(long), e: 'AQ' }] }, '"e" of at least 65537'],
    [{ keys: [{ ...jwkOf(long), alg: 'RS512' }] }, 'an "alg" only as'],
    [{ keys: [{ ...public_, alg: 5 }] }, 'an "alg" only as'],
    [{ keys: [{ ...public_, kid: '' }] }, 'each key of "jwks" must be'],
    [{ keys: [{ ...public_, key_ops: ['sign'] }] }, '"key_ops" with verify'],
    [{ keys: [{ ...public_, key_ops: 'verify' }] }, '"key_ops" with verify'],
    [{ keys: [{ ...public_, x5c: 'MIIB' }] }, '"x5c" a list of certificates'],
    [{ keys: [{ ...public_, x5c: [''] }] }, '"x5c" a list of certificates'],
    [{ keys: [{ ...public_, x5c: [] }] }, '"x5c" a list of certificates'],
    [
      {
        keys: [
          { ...public_, kid: 'a' },
          { ...public_, kid: 'a' },
        ],
      },
      'no two with the same "kid"',
    ],
    [{ keys: ['x'] }, 'each key of "jwks" must be'],
  ])('refuses the keys of an OpenID client: %j', (jwks, fault) => {
    const openid = { ...SIGNED, ...(jwks === undefined ? {} : { jwks }) };
    expect(() => read({ ...SHOP, type: 'confidential', keyless: [], openid })).toThrow(fault);
  });

  it('tells every fault at once, and where it is', () => {
    expect(readWrong).toThrow(/clients\[0\] \(shop\): "type"[^]*clients\[0\] \(shop\): "code_in"/);
    expect(readWrong).toThrow(/clients\[1\] \(B\): "id"/);
  });

  it.each(['mfk_canary_0123456789', 'a key\nmfk_canary_0123456789', 'canary\nid'])(
    'shows no id that may be a key, or would begin a line: %j',
    (id) => {
      const wrong = () => read({ ...SHOP, id }, { ...SHOP, id });
      expect(wrong).toThrow(/clients\[0\]: "id" must be/);
      expect(wrong).not.toThrow(/canary/);
    },
  );

  it('is missed by its path', () => {
    expect(() => readClientsFile('/nowhere/clients.json')).toThrow('/nowhere/clients.json');
  });
});

const limitsOf = (limits: unknown) => readClientsFile(fileWith({ clients: [{ ...SHOP, limits }] }));

describe('limits of a client', () => {
  it('are those that are said, and else the usual ones', () => {
    const limits = {
      requests_per_minute: 6000,
      pushes_per_minute: 1,
      pushes_per_person_per_day: 10,
    };
    expect(limitsOf(limits)[0]?.limits).toEqual({
      requestsPerMinute: 6000,
      pushesPerMinute: 1,
      pushesPerPersonPerDay: 10,
    });
    expect(limitsOf({})[0]?.limits).toEqual(USUAL_LIMITS);
    expect(limitsOf(undefined)[0]?.limits).toEqual(USUAL_LIMITS);
  });

  it.each([
    [[], 'in "limits": it must be an object'],
    ['none', 'in "limits": it must be an object'],
    [{ pushes_per_minut: 1 }, 'unknown: pushes_per_minut (did you mean "pushes_per_minute"?)'],
    [{ pushes_per_minute: 601 }, '"pushes_per_minute" must be a whole number from 1 to 600'],
    [{ pushes_per_minute: 0 }, '"pushes_per_minute" must be a whole number from 1 to 600'],
    [{ requests_per_minute: 6001 }, '"requests_per_minute" must be a whole number from 1 to 6000'],
    [{ requests_per_minute: '60' }, '"requests_per_minute" must be'],
    [{ requests_per_minute: null }, '"requests_per_minute" must be'],
    [
      { pushes_per_person_per_day: 11 },
      '"pushes_per_person_per_day" must be a whole number from 1 to 10',
    ],
    [{ pushes_per_person_per_day: 1.5 }, '"pushes_per_person_per_day" must be'],
  ])('are not %j', (limits, fault) => {
    expect(errorOf(() => limitsOf(limits))).toContain(fault);
  });
});
