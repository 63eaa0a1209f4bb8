import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { SignJWT } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { programFile } from '../../../scripts/program-files.ts';
import { writeClientsFile, type ClientEntry } from '../../../scripts/rehearsal.ts';
import { share, temporaryFolder, type AtEnd } from '../support/at-end.ts';
import { decideOnPhoneOf } from '../support/client/web-example.ts';
import { demoCode } from '../support/openid/demo-sign-in.ts';
import { plainReceiver } from '../support/outbound/receiver.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { findFreePort, startService } from '../support/programs/service-process.ts';
import { openListening } from '../support/service/listening-service.ts';

/** Two instances on one database are one OpenID Provider: any of them may get the next request. */

const AMAL = '1000001101';
const SECRET_KEY = 'ab'.repeat(32);

const common = {
  name: { ar: 'تجربة', en: 'Trial' },
  type: 'confidential',
  return_addresses: [],
} as const;
const redirect_uris = ['http://localhost:9/cb'];
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const DEMO_WEB: ClientEntry = {
  ...common,
  id: 'demo-web',
  keys: ['mfk_test_demo_web'],
  openid: {
    redirect_uris,
    backchannel_token_delivery_mode: 'poll',
    scope: 'openid offline_access',
  },
};
const SIGNER: ClientEntry = {
  ...common,
  id: 'signer',
  keys: [],
  openid: {
    redirect_uris,
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [key.publicKey.export({ format: 'jwk' })] },
  },
};

/** The requests that a client was told the end of, which is called and asks by `ping`. */
const told: unknown[] = [];

const calledAt = (port: number): ClientEntry => ({
  ...DEMO_WEB,
  id: 'called',
  keys: ['mfk_called_0123456789abcdef'],
  openid: {
    redirect_uris,
    backchannel_token_delivery_mode: 'ping',
    backchannel_client_notification_endpoint: `http://127.0.0.1:${port}/ping`,
  },
});

async function keep(request: IncomingMessage, answer: ServerResponse): Promise<void> {
  told.push(JSON.parse(await text(request)));
  answer.writeHead(204).end();
}

async function secondOf(settings: Record<string, string>, atEnd: AtEnd, main?: string) {
  if (main === undefined) return openListening({ settings }, atEnd);
  const service = await startService({ settings, main });
  atEnd(async () => void (await service.kill()));
  return service;
}

/** @param main the program of the second one, if that is another one */
async function two(atEnd: AtEnd, main?: string): Promise<readonly [string, string]> {
  const receiver = await plainReceiver((...both) => void keep(...both), atEnd);
  const clients = [DEMO_WEB, SIGNER, calledAt(receiver.port)];
  const port = await findFreePort();
  const database = { DATABASE_URL: await emptyDatabase(atEnd), SECRET_KEY };
  const CLIENTS_FILE = writeClientsFile(temporaryFolder('clients', atEnd), clients);
  const own = { OPENID: 'on', PUBLIC_URL: `http://127.0.0.1:${port}`, CLIENTS_FILE };
  const settings = { ...own, ...database };
  await openListening({ port, settings }, atEnd);
  const second = await secondOf(settings, atEnd, main);
  return [settings.PUBLIC_URL, second.origin];
}

/** What its endpoints answer, of which the tests read these. */
interface CibaAnswer {
  readonly auth_req_id: string;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly error: string;
}

/** Requests of a client, whose answers tell these. */
function postAs(credentials: string) {
  const headers = { authorization: `Basic ${btoa(credentials)}` };
  return async (origin: string, path: string, form: Record<string, string>) => {
    const body = new URLSearchParams(form);
    const answer = await fetch(origin + path, { method: 'POST', headers, body });
    // A revocation has no body.
    const read: unknown = JSON.parse((await answer.text()) || '{}');
    return { status: answer.status, ...(read as Readonly<Partial<CibaAnswer>>) };
  };
}

const instances = share((atEnd) => two(atEnd));

it('they sign with the same keys, whichever is asked first', async () => {
  const keys = instances().map(async (origin) => (await fetch(`${origin}/openid/jwks`)).text());
  const [one, other] = await Promise.all(keys);
  expect(one).toBe(other);
  expect(one).toContain('RS256');
});

it('a code that is redeemed at both at once gives one token', async () => {
  const [issuer] = instances();
  const redeemAt = await demoCode(issuer);
  const racers = Array.from({ length: 6 }, () => instances().map((origin) => redeemAt(origin)));
  const answers = await Promise.all(racers.flat());
  const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
  expect(statuses).toEqual([200, ...Array.from({ length: 11 }, () => 400)]);
});

it('an assertion of a client that comes to both at once is taken by one, once', async () => {
  const [issuer] = instances();
  const assertion = await new SignJWT({ jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer('signer')
    .setSubject('signer')
    .setAudience(issuer)
    .setExpirationTime('1m')
    .sign(key.privateKey);
  const body = new URLSearchParams({
    token: 'nothing',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  });
  const askAt = (origin: string) => fetch(`${origin}/openid/introspect`, { method: 'POST', body });
  const racers = Array.from({ length: 6 }, () => instances().map((origin) => askAt(origin)));
  const statuses = (await Promise.all(racers.flat())).map(({ status }) => status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([
    200,
    ...Array.from({ length: 11 }, () => 401),
  ]);
});

it('a push that is decided at another instance is told by the one that took the request, once', async () => {
  const [issuer, second] = instances();
  const post = postAs('called:mfk_called_0123456789abcdef');
  const client_notification_token = 'client-notification-token_0123456789';
  const wish = { scope: 'openid', login_hint: AMAL, client_notification_token };
  const { auth_req_id = '' } = await post(issuer, '/openid/backchannel', wish);
  await decideOnPhoneOf({ provider: second }, AMAL);
  await expect.poll(() => told).toEqual([{ auth_req_id }]);
  const grant_type = 'urn:openid:params:grant-type:ciba';
  const tokens = await post(second, '/openid/token', { grant_type, auth_req_id });
  expect(tokens).toHaveProperty('access_token');
  expect(told).toHaveLength(1);
});

it('a push by CIBA that is asked about at both at once gives one token', async () => {
  const post = postAs('demo-web:mfk_test_demo_web');
  const [issuer, second] = instances();
  const asked = await post(issuer, '/openid/backchannel', { scope: 'openid', login_hint: AMAL });
  const form = {
    grant_type: 'urn:openid:params:grant-type:ciba',
    auth_req_id: asked.auth_req_id ?? '',
  };
  const early = await post(second, '/openid/token', form);
  expect(early).toMatchObject({ status: 400, error: 'authorization_pending' });
  await decideOnPhoneOf({ provider: second }, AMAL);
  const racers = Array.from({ length: 3 }, () =>
    instances().map((origin) => post(origin, '/openid/token', form)),
  );
  const answers = await Promise.all(racers.flat());
  const good = answers.filter(({ status }) => status === 200);
  expect(good).toHaveLength(1);
  const others = answers.filter(({ status }) => status !== 200);
  expect(others.map(({ error }) => error)).toEqual(others.map(() => 'invalid_grant'));
  const token = good[0]?.access_token ?? '';
  expect(await post(second, '/openid/introspect', { token })).toMatchObject({ active: true });
});

it('during an upgrade, what an instance of one version has begun the other one ends', async () => {
  const [issuer, later] = await two(onTestFinished, programFile('service-later'));
  const post = postAs('demo-web:mfk_test_demo_web');
  const grant_type = 'refresh_token';
  const ciba = 'urn:openid:params:grant-type:ciba';
  for (const [begins, ends] of [[issuer, later] as const, [later, issuer] as const]) {
    const redeemAt = await demoCode(issuer);
    const given = (await (await redeemAt(ends)).json()) as Partial<CibaAnswer>;
    const token = given.access_token ?? '';
    expect(await post(begins, '/openid/introspect', { token })).toMatchObject({ active: true });
    const wish = { scope: 'openid offline_access', login_hint: AMAL };
    const { auth_req_id = '' } = await post(begins, '/openid/backchannel', wish);
    await decideOnPhoneOf({ provider: ends }, AMAL);
    const tokens = await post(ends, '/openid/token', { grant_type: ciba, auth_req_id });
    const { refresh_token = '' } = tokens;
    const next = await post(begins, '/openid/token', { grant_type, refresh_token });
    expect(next).toHaveProperty('access_token');
    await post(ends, '/openid/revoke', { token: next.refresh_token ?? '' });
    const over = { token: next.access_token ?? '' };
    expect(await post(begins, '/openid/introspect', over)).toEqual({ status: 200, active: false });
  }
});
