import { expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { share, temporaryFolder } from '../support/at-end.ts';
import { openLive } from '../support/live/live-service.ts';
import {
  interactionOf,
  ask,
  beginIn,
  exchange,
  OPENID_CLIENTS,
  openidBrowser,
  openOpenid,
  openStrictOpenid,
  PORTAL_KEY,
  signedIn,
  writtenRequest,
} from '../support/openid/openid-scene.ts';
import { outcomeNumber } from '../support/service/outcome-number.ts';

/** What somebody who sets a client up is told of its mistakes. */

const scene = share((atEnd) => openStrictOpenid(atEnd, Object.values(OPENID_CLIENTS)));

const CB = 'https://portal.example.test/cb';
const JSON_TYPE = 'application/json';
const CIBA_GRANT = 'urn:openid:params:grant-type:ciba';
const ASKED = {
  client_id: 'portal',
  response_type: 'code',
  redirect_uri: CB,
  scope: 'openid',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
};

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly code?: string;
  readonly reason?: string;
  readonly reqId?: string;
}

/** The warnings of what is done. */
async function warnings(act: () => Promise<unknown>, wanted = 'an OpenID request was refused') {
  const { logLines } = scene().service;
  const before = logLines.length;
  await act();
  const lines = logLines.slice(before).map((line) => JSON.parse(line) as Line);
  return lines.filter(({ msg }) => msg === wanted);
}

function authorize(client: string, address: string) {
  const query = writtenRequest(client, address);
  return fetch(`${scene().origin}/openid/authorize?${query.toString()}`);
}

it.each([
  ['portal', 'https://elsewhere.example.test/cb', '"https://elsewhere.example.test/cb"'],
  ['portal', `${CB}?token=of-somebody`, `"${CB}?…"`],
  ['portal', 'https://me:pass@portal.example.test/cb', '"https://…@portal.example.test/cb"'],
  ['portal', `${CB}/1000001101/mfk_key`, `"${CB}/…/…"`],
  ['portal', `${CB}/line\nbreak"`, `"${CB}/line\\nbreak\\""`],
  ['portal', CB + '/a'.repeat(3000), `"${(CB + '/a'.repeat(3000)).slice(0, 200)}…"`],
])(
  'of %s, a wrong redirect address %#: the log has it, and those it has',
  async (id, to, shown) => {
    const lines = await warnings(() => authorize(id, to));
    const cure = 'Add it to openid.redirect_uris of the client';
    const reason = `redirect_uri ${shown} is none of those of portal: ${CB}. ${cure}`;
    expect(lines).toMatchObject([{ level: 40, code: 'invalid_redirect_uri', reason }]);
  },
);

it('the line has the id that the answer has', async () => {
  let id: string | null = null;
  const [line] = await warnings(async () => {
    id = (await authorize('portal', 'https://elsewhere.example.test/cb')).headers.get(
      'x-request-id',
    );
  });
  expect(id).not.toBeNull();
  expect(line?.reqId).toBe(id);
});

it.each([
  ['nobody', '"nobody"'],
  ['mfk_key', '"…"'],
  ['1000001101', '"…"'],
])('of the unknown client %s the log says so', async (id, shown) => {
  const lines = await warnings(() => authorize(id, CB));
  const reason = `no client has the id ${shown}`;
  expect(lines).toMatchObject([{ code: 'invalid_client', reason }]);
});

it('of the demo clients it has the ids, and the page too', async () => {
  const { origin, service } = await openOpenid(onTestFinished);
  const query = writtenRequest('nobody', 'http://127.0.0.1/callback');
  const { html } = await openidBrowser().open(`${origin}/openid/authorize?${query.toString()}`);
  const says = 'no client has the id "nobody"; there are demo and demo-web';
  expect(service.logLines.join('\n')).toContain(JSON.stringify(says).slice(1, -1));
  expect(html).toContain('demo and demo-web');
});

/** What a browser is shown of a client that is unknown. */
async function pageOf(origin: string, id: string): Promise<string> {
  const query = writtenRequest(id, 'http://127.0.0.1/callback');
  return (await openidBrowser().open(`${origin}/openid/authorize?${query.toString()}`)).html;
}

it('of the clients of a file it has the ids in plain simulator mode alone', async () => {
  const clients = Object.values(OPENID_CLIENTS);
  const CLIENTS_FILE = writeClientsFile(temporaryFolder('known'), clients);
  const { origin, service } = await openOpenid(onTestFinished, { CLIENTS_FILE });
  expect(await pageOf(origin, 'nobody')).toMatch(/there are .*portal/);
  expect(service.logLines.join('\n')).toMatch(
    /no client has the id .{1,3}nobody.{1,3}; there are /,
  );
  expect(await pageOf(scene().origin, 'nobody')).not.toMatch(/there are|portal/);
});

it('where there is no OpenID client it says so, and where one is given', async () => {
  const { origin } = await openOpenid(onTestFinished, { STRICT: 'yes' });
  expect(await pageOf(origin, 'demo-web')).toMatch(/none has a member openid.*CLIENTS_FILE/);
});

const inCode = (text: string) => `<code dir="ltr">${text}</code>`;

it('the page of the simulator says it too, and markup of a stranger is text there', async () => {
  const query = writtenRequest('portal', 'https://evil.example.test/<img src=x>');
  const url = `${scene().origin}/openid/authorize?${query.toString()}&ui_locales=en`;
  const { status, html } = await openidBrowser().open(url);
  expect(status).toBe(400);
  expect(html).toContain(
    `is none of those of portal: ${inCode(CB)}. Add it to ${inCode('openid.redirect_uris')} of the client.<`,
  );
  expect(html).toContain(`${inCode('https://evil.example.test/&lt;img')} src=x>`);
  expect(html).not.toContain('<img');
});

it('its link leads to the same page in the other language', async () => {
  const query = writtenRequest('portal', 'https://evil.example.test/cb');
  const { html } = await openidBrowser().open(
    `${scene().origin}/openid/authorize?${query.toString()}`,
  );
  const [, link = ''] =
    /href="([^"]*)"[^>]*lang="en"|lang="en"[^>]*href="([^"]*)"/.exec(html) ?? [];
  const other = await openidBrowser().open(scene().origin + link.replaceAll('&amp;', '&'));
  expect(other.status).toBe(400);
  expect(other.html).toContain('<html lang="en"');
  expect(other.html).toContain(`is none of those of portal: ${inCode(CB)}`);
});

it('a refusal by the person is no warning', async () => {
  const asked = await ask(scene(), { id: 'portal' });
  expect(await warnings(() => signedIn(asked, { decision: 'refuse' }))).toEqual([]);
});

const ENDED = 'an OpenID sign-in ended without tokens';

it.each([
  ['refuses', 'access_denied', { decision: 'refuse' }, {}],
  ['has too low a level', 'unmet_authentication_requirements', {}, { level: '4' }],
] as const)(
  'of a person who %s the log has a line that is no warning',
  async (_, code, how, wish) => {
    const values = [`${scene().origin}/acr/4`];
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values } } });
    const asked = await ask(scene(), {
      id: 'portal',
      parameters: 'level' in wish ? { claims } : {},
    });
    const lines = await warnings(() => signedIn(asked, how), ENDED);
    expect(lines).toMatchObject([{ level: 30, code }]);
    expect(lines[0]?.reason).toMatch(/^portal: .{10}/);
  },
);

const begin = async (more: Record<string, string> = {}) => {
  const fields = { scope: 'openid', login_hint: '1000001101', ...more };
  return (await (await posted('backchannel', fields)).json()) as { auth_req_id: string };
};
const poll = async ({ auth_req_id }: { auth_req_id: string }) => {
  const answer = await posted('token', { grant_type: CIBA_GRANT, auth_req_id });
  return ((await answer.json()) as { error: string }).error;
};

it('so it has of a poll that comes too late, and not of one that comes too early', async () => {
  const [early, late] = [await begin(), await begin({ requested_expiry: '1' })];
  expect(await warnings(() => poll(early), ENDED)).toEqual([]);
  const told = await warnings(() => expect.poll(() => poll(late)).toBe('expired_token'), ENDED);
  expect(told).toMatchObject([{ level: 30, code: 'expired_token' }]);
});

it('a token that is not good at userinfo has a line with its reason, and not the token', async () => {
  const headers = { authorization: 'Bearer mft_of_somebody' };
  const [line, ...more] = await warnings(() =>
    fetch(`${scene().origin}/openid/userinfo`, { headers }),
  );
  expect(line).toMatchObject({ level: 30, code: 'invalid_token' });
  expect(line?.reason).toContain('send the access_token of an answer');
  expect(JSON.stringify([line, ...more])).not.toContain('of_somebody');
  expect(more).toEqual([]);
});

const LESS = 'an OpenID request gets less than it asks for';
const WISH = JSON.stringify({ userinfo: { national_id: { essential: true }, made_up: null } });

it.each([
  ['reader', { claims: WISH }, 'reader: "national_id" is in none of its scopes'],
  ['reader', { scope: 'openid offline_access', prompt: 'consent' }, /^reader: .*clients file/],
  ['portal', { scope: 'openid offline_access' }, /^portal: .*without prompt=consent$/],
] as const)('of %s, what it asks for in vain is in the log: %j', async (id, wish, reason) => {
  const asked = await ask(scene(), { id, parameters: wish });
  const lines = await warnings(() => openidBrowser().open(asked.url), LESS);
  const said: unknown = typeof reason === 'string' ? reason : expect.stringMatching(reason);
  expect(lines).toMatchObject([{ level: 30, reason: said }]);
  expect(JSON.stringify(lines)).not.toContain('made_up');
});

it('that is said once of a pushed request, and not of one that gets all', async () => {
  const parameters = { scope: 'openid offline_access' };
  const lines = await warnings(async () => {
    const pushed = await ask(scene(), { id: 'portal', isPushed: true, parameters });
    await openidBrowser().open(pushed.url);
    const all = { scope: 'openid profile offline_access', prompt: 'consent', claims: WISH };
    await openidBrowser().open((await ask(scene(), { id: 'portal', parameters: all })).url);
  }, LESS);
  expect(lines).toHaveLength(1);
});

const ONCE = 'a code is good once, for a minute: begin the sign-in anew';

it('each way in which a code is not good has its own reason, without the code', async () => {
  const asked = await ask(scene(), { id: 'portal' });
  const back = await signedIn(asked);
  const code = back.searchParams.get('code') ?? '';
  const other = await ask(scene(), { id: 'portal' });
  const secondCode = (await signedIn(other)).searchParams.get('code') ?? '';
  const verifier = asked.checks.pkceCodeVerifier;
  await exchange(asked, back);
  const redeem = (fields: Record<string, string>, key = PORTAL_KEY) =>
    fetch(`${scene().origin}/openid/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`portal:${key}`)}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        redirect_uri: CB,
        code_verifier: verifier,
        ...fields,
      }),
    });
  const lines = await warnings(async () => {
    const wrong = { redirect_uri: `${CB}2`, code_verifier: other.checks.pkceCodeVerifier };
    await redeem({ code: secondCode, ...wrong });
    await redeem({ code: secondCode });
    await redeem({ code });
    await redeem({ code: 'unknown-code-of-somebody' });
    await redeem({ code: secondCode }, 'mfk_wrong_key');
  });
  const reasons = lines.map((line) => `${line.code}, ${line.reason}`);
  expect(reasons).toEqual([
    'invalid_grant, portal: grant request is invalid: authorization code redirect_uri mismatch; ' +
      'send the redirect_uri that the request of the browser had',
    'invalid_grant, portal: grant request is invalid: code_verifier does not match ' +
      'code_challenge; send the code_verifier whose code_challenge began this sign-in',
    `invalid_grant, portal: grant request is invalid: authorization code already consumed; ${ONCE}`,
    `invalid_grant, portal: grant request is invalid: authorization code not found; ${ONCE}`,
    'invalid_client, portal: client authentication failed: invalid secret provided; ' +
      'its secret is one of the keys whose hashes the clients file has',
  ]);
  const text = JSON.stringify(lines);
  for (const secret of [code, secondCode, verifier, PORTAL_KEY, 'unknown-code', 'mfk_wrong']) {
    expect(text).not.toContain(secret);
  }
});

const redeemAs = (client_id: string, headers: Record<string, string>) =>
  fetch(`${scene().origin}/openid/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ grant_type: 'authorization_code', code: 'x', client_id }),
  });

it('a client that nobody knows, or that sends no secret, is named', async () => {
  const lines = await warnings(async () => {
    await redeemAs('', { authorization: `Basic ${btoa('portol:mfk_wrong_key')}` });
    await redeemAs('', { authorization: `Basic ${btoa('1000001101:mfk_wrong_key')}` });
    await redeemAs('portal', {});
  });
  expect(lines.map(({ reason }) => reason)).toEqual([
    'no client has the id "portol"',
    'no client has the id "…"',
    'portal: client authentication failed: the provided authentication mechanism does not match ' +
      'the registered client authentication method; send its secret in the way of ' +
      '"token_endpoint_auth_method" in openid, client_secret_basic by default',
  ]);
  expect(JSON.stringify(lines)).not.toContain('mfk_wrong');
});

it('the answer of the simulator has the reason too, in the characters of RFC 6749', async () => {
  const answers = await Promise.all([
    redeemAs('', { authorization: `Basic ${btoa('portol:mfk_wrong_key')}` }),
    redeemAs('', { authorization: `Basic ${btoa('port\\\\"o\u00e9l:mfk_wrong_key')}` }),
    redeemAs('', { authorization: `Basic ${btoa('portal:mfk_wrong_key')}` }),
  ]);
  const told = await Promise.all(
    answers.map(async (answer) => (await answer.json()) as Record<string, string>),
  );
  const errors = ['invalid_client', 'invalid_request', 'invalid_client'];
  expect(told.map(({ error }) => error)).toEqual(errors);
  const texts = told.map(({ error_description: text }) => text);
  expect(texts[0]).toBe("no client has the id 'portol'");
  expect(texts[1]).toMatch(/^no client has the id '/);
  expect(texts[2]).toMatch(/^portal: client authentication failed: invalid secret provided; /);
  for (const { error_description: text = '' } of told) {
    expect(text).toMatch(/^[ !#-[\]-~]+$/);
    expect(text).not.toContain('mfk_wrong');
  }
});

const posted = (path: string, fields: Record<string, string>, key = PORTAL_KEY) =>
  fetch(`${scene().origin}/openid/${path}`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`portal:${key}`)}` },
    body: new URLSearchParams(fields),
  });

it.each([
  ['token', { grant_type: 'refresh_token', refresh_token: 'x' }, /not found; a refresh token is/],
  ['token', { grant_type: 'password' }, /requested; discovery has grant_types_supported$/],
  ['token', { grant_type: CIBA_GRANT, auth_req_id: 'x' }, /not found; its tokens are given once/],
  ['par', { ...ASKED, request: 'e30.e30.' }, /^portal: request_not_supported; send its parameters/],
  ['par', { ...ASKED, request_uri: 'urn:x' }, /^portal: request_uri_not_supported; .*openid\/par/],
  ['par', { ...ASKED, registration: '{}' }, /^portal: registration_not_supported; clients are/],
  ['par', { ...ASKED, response_type: 'token' }, /response_type.*; send response_type=code$/],
  ['par', { ...ASKED, code_challenge_method: 'plain' }, /; send code_challenge_method=S256$/],
])('of %s with %j the reason says what to do', async (path, fields, words) => {
  const [line, ...more] = await warnings(() => posted(path, fields));
  expect(line?.reason).toMatch(words);
  expect(more).toEqual([]);
});

it.each([
  ['active_transaction', 'push.budget_spent', 'record 400-034-050'],
  ['provider_down_503', 'provider.unavailable', 'status 503'],
])('a push that is not sent has a line with its reason: %s', async (outcome, code, seen) => {
  const login_hint = outcomeNumber(outcome);
  const msg = 'an OpenID push could not be sent';
  const byBackEnd = await warnings(
    () => posted('backchannel', { scope: 'openid', login_hint }),
    msg,
  );
  const byPage = await warnings(async () => {
    const asked = await ask(scene(), { id: 'portal', isPushed: true, parameters: { login_hint } });
    const browser = openidBrowser();
    const { status } = await browser.press(await beginIn(browser, asked));
    expect(status).toBeGreaterThanOrEqual(400);
  }, msg);
  const says = new RegExp(String.raw`^portal: \w+ .*\. \(${seen}\)$`);
  const line = { level: 40, code, reason: expect.stringMatching(says) as unknown };
  expect(byBackEnd).toMatchObject([line]);
  expect(byPage).toMatchObject([line]);
  expect(JSON.stringify([byBackEnd, byPage])).not.toContain(login_hint);
});

it('a request_uri that was used has a reason that says what to do', async () => {
  const request_uri = 'urn:ietf:params:oauth:request_uri:x';
  const query = new URLSearchParams({ client_id: 'portal', request_uri });
  const address = `${scene().origin}/openid/authorize?${query.toString()}`;
  const [line] = await warnings(() => fetch(address, { redirect: 'manual' }));
  expect(line?.reason).toMatch(/; it is good once, for a minute: push the request again$/);
});

it('a client of no file is told which addresses it may have', async () => {
  const { origin, service } = await openOpenid(onTestFinished);
  const query = writtenRequest('demo-web', 'https://evil.example.test/cb');
  await fetch(`${origin}/openid/authorize?${query.toString()}`);
  expect(service.logLines.join('\n')).toContain(
    'redirect_uri \\"https://evil.example.test/cb\\" is refused. demo-web may have ' +
      'addresses of this machine alone: http or https, localhost, 127.0.0.1 or [::1], any port and path. ' +
      'For another address give a client of your own, in the file of CLIENTS_FILE"',
  );
});

it.each(['https://127.0.0.1:3740/cb', 'http://[::1]/', 'http://localhost:1/'])(
  'and it may have each of these: %s',
  async (address) => {
    const { origin } = await openOpenid(onTestFinished);
    const query = writtenRequest('demo-web', address);
    const url = `${origin}/openid/authorize?${query.toString()}`;
    const answer = await fetch(url, { redirect: 'manual' });
    const to = interactionOf({ html: await answer.text(), url: new URL(url) });
    expect([answer.status, to?.origin]).toEqual([200, origin]);
  },
);

const NO_PKCE = { code_challenge: null, code_challenge_method: null };

/** What the address says that leads the browser back to the application. */
async function ledBack(origin: string, fields: Record<string, string | null>) {
  const all = Object.entries({ ...ASKED, state: 'a b&"c', ...fields });
  const query = new URLSearchParams(
    all.flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  const url = `${origin}/openid/authorize?${query.toString()}`;
  const to = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '');
  expect(to.origin + to.pathname).toBe(CB);
  return Object.fromEntries(new URLSearchParams(to.search || to.hash.slice(1)));
}

it.each([
  [NO_PKCE, 'invalid_request', /PKCE.*; send code_challenge, or give a confid/],
  [
    { response_type: 'token' },
    'unsupported_response_type',
    /^portal: .*; send response_type=code$/,
  ],
  [{ scope: 'profile', nonce: 'x' }, 'invalid_request', /; send a scope with openid in it, such/],
  [{ scope: 'profile' }, 'invalid_request', /^portal: .*; send a scope with openid in it, such/],
  [{ scope: null }, 'invalid_request', /^portal: .*; send a scope with openid in it, such/],
])('the address back to the application has the reason of %j too', async (fields, error, words) => {
  const told = await ledBack(scene().origin, fields);
  expect(told).toMatchObject({ error, state: 'a b&"c', iss: scene().origin });
  expect(told['error_description']).toMatch(words);
  expect(told['error_description']).toMatch(/^[ !#-[\]-~]+$/);
});

it('so has the form that the browser posts to the application', async () => {
  const asked = { ...ASKED, scope: 'profile', nonce: 'x', response_mode: 'form_post' };
  const query = new URLSearchParams(asked);
  const { html } = await openidBrowser().open(
    `${scene().origin}/openid/authorize?${query.toString()}`,
  );
  const [, told] = /name="error_description" value="([^"]*)"/.exec(html) ?? [];
  expect(told).toMatch(/^portal: .*; send a scope with openid in it, such as 'openid profile'$/);
});

it('an address back to the application has no reason of ours in live mode', async () => {
  const clients = Object.values(OPENID_CLIENTS);
  const CLIENTS_FILE = writeClientsFile(temporaryFolder('openid', onTestFinished), clients);
  const live = await openLive({ settings: { OPENID: 'on', CLIENTS_FILE } });
  const { error_description: told } = await ledBack(live.origin, NO_PKCE);
  expect(told).toBe('Authorization Server policy requires PKCE to be used for this request');
});

it('of a body that is no form the answer says so, and nothing of a client that is known', async () => {
  const lines = await warnings(() =>
    fetch(`${scene().origin}/openid/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`portal:${PORTAL_KEY}`)}`,
        'content-type': JSON_TYPE,
      },
      body: '{}',
    }),
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]?.reason).toMatch(/^portal: only .*; send a form, as curl -d does by itself$/);
});

it('a pushed request without openid is refused too', async () => {
  const answer = await fetch(`${scene().origin}/openid/par`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`portal:${PORTAL_KEY}`)}` },
    body: new URLSearchParams({ ...ASKED, scope: 'profile' }),
  });
  expect(await answer.json()).toMatchObject({
    error: 'invalid_request',
    error_description: expect.stringContaining('send a scope with openid in it') as string,
  });
});

it('a pushed request without client_id is told that Basic alone does not do', async () => {
  const answer = await fetch(`${scene().origin}/openid/par`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`portal:${PORTAL_KEY}`)}` },
    body: new URLSearchParams({ scope: 'openid' }),
  });
  expect(await answer.json()).toMatchObject({
    error: 'invalid_request',
    error_description: expect.stringMatching(
      /^portal: .*'client_id'; send client_id in the form too, beside Basic$/,
    ) as string,
  });
});

it('a request of tokens without a client is told what to send', async () => {
  const body = new URLSearchParams({ grant_type: 'authorization_code' });
  const answer = await fetch(`${scene().origin}/openid/token`, { method: 'POST', body });
  expect(await answer.json()).toMatchObject({
    error_description: expect.stringContaining('; send client_id, and the secret of') as string,
  });
});

it('an answer in live mode has none', async () => {
  const live = await openLive({ settings: { OPENID: 'on' } });
  const answer = await fetch(`${live.origin}/openid/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('portol:mfk_wrong_key')}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code: 'x' }),
  });
  const error_description = 'client authentication failed';
  expect(await answer.json()).toEqual({ error: 'invalid_client', error_description });
  expect(live.log()).toContain('no client has the id \\"portol\\"');
});

it('an assertion that is no JSON is not quoted', async () => {
  const assertion = `${btoa('{"alg":"ES256"}')}.${btoa('secret words')}.x`;
  const lines = await warnings(() =>
    fetch(`${scene().origin}/openid/token`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: 'portal',
        grant_type: 'authorization_code',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      }),
    }),
  );
  expect(lines).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toContain('secret w');
});
