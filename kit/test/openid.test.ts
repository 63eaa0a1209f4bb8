import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMiftah } from '../src/index.ts';
import { opened } from './support/instances.ts';
import { asked, configured, PORTAL, REDIRECT } from './support/openid.ts';

/** The kit as an OpenID Provider for the test of an OpenID client. */

describe.each([
  ['plain', { openid: true }, 'demo-web', 'mfk_test_demo_web'],
  ['strict', { strict: true, clients: [PORTAL] }, 'portal', 'mfk_portal_0123456789'],
] as const)('an OpenID Provider in %s mode', (_mode, options, id, secret) => {
  it('signs in who is named, in the browser', async () => {
    const miftah = await opened(options);
    const config = await configured(miftah, id, secret);
    const { address, checks } = await asked(config);
    const { returnAddress } = await miftah.browser.approve(address, { person: 'faisal' });
    const tokens = await oidc.authorizationCodeGrant(config, returnAddress, checks);
    const sub = String(tokens.claims()?.sub);
    const told = await oidc.fetchUserInfo(config, tokens.access_token, sub);
    expect(told.name).toBe(miftah.people.faisal.englishName.full);
  });

  it('takes the address by another name of this machine', async () => {
    const miftah = await opened(options);
    const { address } = await asked(await configured(miftah, id, secret));
    const named = new URL(address);
    named.hostname = 'localhost';
    const { returnAddress } = await miftah.browser.approve(named);
    expect(returnAddress.searchParams.has('code')).toBe(true);
  });

  it('says that the person has refused', async () => {
    const miftah = await opened(options);
    const { address } = await asked(await configured(miftah, id, secret));
    const { returnAddress } = await miftah.browser.refuse(address);
    expect(returnAddress.href).toMatch(/^http:\/\/127\.0\.0\.1:9\/cb\?error=access_denied/);
  });

  it('ends as was chosen before, once, and meets the faults of the provider', async () => {
    const miftah = await opened(options);
    const config = await configured(miftah, id, secret);
    await miftah.next('refuses');
    const { address } = await asked(config);
    const refused = await miftah.browser.approve(address);
    expect(refused.returnAddress.searchParams.get('error')).toBe('access_denied');
    const login_hint = miftah.people.amal.nationalId;
    const push = () =>
      oidc.initiateBackchannelAuthentication(config, { scope: 'openid', login_hint });
    await miftah.faults({ operation: 'any', status: 503, rate: 1, times: 1 });
    await expect(push()).rejects.toMatchObject({ cause: { status: 503 } });
    await push();
  });

  it('signs in on a phone', async () => {
    const miftah = await opened(options);
    const config = await configured(miftah, id, secret);
    const begun = await oidc.initiateBackchannelAuthentication(config, {
      scope: 'openid',
      login_hint: miftah.people.amal.nationalId,
    });
    const prompt = await miftah.phone.approve('amal');
    expect(prompt.random).toBe(begun['binding_message']);
    const quick = { ...begun, interval: 0 };
    const tokens = await oidc.pollBackchannelAuthenticationGrant(config, quick);
    expect(tokens.claims()).toHaveProperty('sub');
  });
});

it('is none unless it is asked for, and says so to whoever signs in there', async () => {
  const miftah = await opened({});
  const answer = await fetch(`${miftah.url}/.well-known/openid-configuration`);
  expect(answer.status).toBe(404);
  const request = `${miftah.url}/openid/authorize?client_id=demo-web`;
  const said = await miftah.browser.approve(request).catch(String);
  expect(said).toContain('/authorize ends the sign-in (404 route.not_found: "Not found"): ');
  expect(said).toMatch(/ is off here: set OPENID=on, or openid: true of startMiftah\(\)\.$/);
});

it('says why a request is refused, in the words of the page', async () => {
  const miftah = await opened({ openid: true });
  const { address } = await asked(await configured(miftah, 'demo-web', 'mfk_test_demo_web'));
  const wrong = async (name: string, value: string) => {
    const request = new URL(address);
    request.searchParams.set(name, value);
    return miftah.browser.approve(request).then(
      () => '',
      (error: unknown) => String(error),
    );
  };
  const heading = 'The application has asked in a wrong way';
  const ends = `${miftah.url}/openid/authorize ends the sign-in (400: "${heading}"): `;
  expect(await wrong('client_id', 'demoweb')).toBe(
    `PageFault: The sign-in page ${ends}no client has the id "demoweb"; there are demo and demo-web.`,
  );
  expect(await wrong('redirect_uri', 'https://app.example/cb')).toContain(
    `${ends}redirect_uri "https://app.example/cb" is refused. demo-web may have addresses of`,
  );
  // The token that Miftah gets from the provider, and not one of its own.
  await miftah.next('token_unknown_key');
  await expect(miftah.browser.approve(address)).rejects.toThrow(
    /ends the sign-in \(409 attempt\.failed: "Attempt failed"\): [A-Z].+\.$/,
  );
});

it('says what an OpenID client lacks, or has too much', async () => {
  const { openid, ...rest } = PORTAL;
  const withOpenid = (own: object) =>
    startMiftah({ clients: [{ ...rest, openid: own as typeof openid }] });
  await expect(withOpenid({ redirectUri: REDIRECT })).rejects.toThrow(
    /clients\[0\]\.openid may have .+, and not redirectUri \(did you mean "redirectUris"\?\)/,
  );
  await expect(withOpenid({ ...openid, scope: 'profile' })).rejects.toThrow('"scope" must be');
});

it('takes for an OpenID client all that docs/openid.md explains', async () => {
  const page = readFileSync(new URL('../../docs/openid.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## Clients\n');
  const [table = ''] = section.split('\n## ');
  const explained = [...table.matchAll(/^\| `(\w+)` /gm)].map(([, name = '']) =>
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
  const nothing = { openid: { nothing: true } } as unknown as typeof PORTAL;
  const said = await startMiftah({ clients: [{ ...PORTAL, ...nothing }] }).then(() => '', String);
  const [, taken = ''] = /openid may have (.+), and not nothing\./.exec(said) ?? [];
  expect(taken.split(', ').toSorted()).toEqual(explained.toSorted());
});

it('is a new browser for each call, which shares no sign-in with another', async () => {
  const openid = { ...PORTAL.openid, sso: true };
  const miftah = await opened({ clients: [{ ...PORTAL, openid }] });
  const config = await configured(miftah, PORTAL.id, PORTAL.keys[0]);
  const { address } = await asked(config);
  await miftah.browser.approve(address);
  const { address: again } = await asked(config);
  again.searchParams.set('prompt', 'none');
  const { returnAddress } = await miftah.browser.approve(again);
  expect(returnAddress.searchParams.get('error')).toBe('login_required');
});

it('says that a form is not read', async () => {
  const miftah = await opened({ openid: true });
  const { address } = await asked(await configured(miftah, 'demo-web', 'mfk_test_demo_web'));
  address.searchParams.set('response_mode', 'form_post');
  await expect(miftah.browser.approve(address)).rejects.toThrow(
    'which is not this Miftah. The form of response_mode=form_post is not read.',
  );
});

it('tells a client of its pushes by ping, and of a logout', async () => {
  const told = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    told.resolve(request.headers.authorization);
    response.writeHead(204).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const openid = {
    ...PORTAL.openid,
    backchannelTokenDeliveryMode: 'ping',
    backchannelClientNotificationEndpoint: `http://127.0.0.1:${port}/told`,
    backchannelLogoutUri: `http://127.0.0.1:${port}/logout`,
    backchannelLogoutSessionRequired: true,
  } as const;
  const miftah = await opened({ clients: [{ ...PORTAL, openid }] });
  await oidc.initiateBackchannelAuthentication(
    await configured(miftah, PORTAL.id, PORTAL.keys[0]),
    {
      scope: 'openid',
      login_hint: miftah.people.amal.nationalId,
      client_notification_token: 'a-token-of-this-test',
    },
  );
  await miftah.phone.approve();
  expect(await told.promise).toBe('Bearer a-token-of-this-test');
});
