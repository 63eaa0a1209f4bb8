import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { memberOf } from '../../src/values/member.ts';
import { share, type AtEnd } from '../support/at-end.ts';
import { decideOnPhoneOf } from '../support/client/web-example.ts';
import { plainReceiver } from '../support/outbound/receiver.ts';
import { errorOf, startPush } from '../support/openid/ciba.ts';
import {
  discovered,
  OPENID_CLIENTS,
  openStrictOpenid,
  PORTAL_KEY,
} from '../support/openid/openid-scene.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';

/** CIBA Core 1.0 by ping (section 10.2). */

const AMAL = '1000001101';
const NOTIFICATION = 'client-notification-token_0123456789';

interface Ping {
  readonly authorization: string | undefined;
  readonly type: string | undefined;
  readonly body: unknown;
}

/** A back end that hears of ends, and answers with the status that ends the path. */
async function pinged(atEnd: AtEnd) {
  const pings: Ping[] = [];
  const keep = async (request: IncomingMessage, answer: ServerResponse) => {
    const { authorization, 'content-type': type } = request.headers;
    pings.push({ authorization, type, body: JSON.parse(await text(request)) });
    answer.writeHead(Number(request.url?.split('/').at(-1)), { location: '/204' }).end();
  };
  const { port } = await plainReceiver((...both) => void keep(...both), atEnd);
  return { pings, address: (status: number) => `http://127.0.0.1:${port}/${status}` };
}

const portal = (endpoint: string) => ({
  ...OPENID_CLIENTS.portal,
  openid: {
    ...OPENID_CLIENTS.portal.openid,
    backchannel_token_delivery_mode: 'ping',
    backchannel_client_notification_endpoint: endpoint,
  },
});

const place = share(async (atEnd) => {
  const receiver = await pinged(atEnd);
  const at = await openStrictOpenid(atEnd, [portal(receiver.address(204))]);
  return { ...receiver, at };
});

const configAt = ({ origin }: { readonly origin: string }) =>
  discovered(origin, 'portal', oidc.ClientSecretBasic(PORTAL_KEY));
const hint = (login_hint: string) => ({ login_hint, client_notification_token: NOTIFICATION });

it('is a mode that discovery names', async () => {
  expect((await configAt(place().at)).serverMetadata()).toMatchObject({
    backchannel_token_delivery_modes_supported: ['poll', 'ping'],
  });
});

describe('a client is told once that the person', () => {
  it.each([
    ['approve', null],
    ['refuse', 'access_denied'],
  ] as const)('has decided: %s', async (decision, end) => {
    const { at, pings } = place();
    pings.length = 0;
    const { asked, poll } = await startPush(await configAt(at), hint(AMAL));
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' });
    expect(pings).toEqual([]);
    await decideOnPhoneOf({ provider: at.origin }, AMAL, decision);
    const { auth_req_id } = asked;
    await expect
      .poll(() => pings)
      .toEqual([
        {
          authorization: `Bearer ${NOTIFICATION}`,
          type: 'application/json',
          body: { auth_req_id },
        },
      ]);
    const [polled] = await Promise.allSettled([poll()]);
    expect(errorOf(polled)).toBe(end);
    expect(pings).toHaveLength(1);
  });

  it('has not answered in time', async () => {
    const { at, pings } = place();
    pings.length = 0;
    const asking = { ...hint(AMAL), requested_expiry: '1' };
    const { asked, poll } = await startPush(await configAt(at), asking);
    await expect
      .poll(() => pings.map(({ body }) => body))
      .toEqual([{ auth_req_id: asked.auth_req_id }]);
    await expect(poll()).rejects.toMatchObject({ error: 'expired_token' });
  });
});

it('of many ends at once each is told', async () => {
  const { at, pings } = place();
  pings.length = 0;
  const config = await configAt(at);
  const begun = Array.from({ length: 40 }, () =>
    startPush(config, { ...hint(AMAL), requested_expiry: '1' }),
  );
  const ids = (await Promise.all(begun)).map(({ asked }) => asked.auth_req_id);
  const told = () => pings.map(({ body }) => memberOf(body, 'auth_req_id'));
  await expect.poll(() => new Set(told())).toEqual(new Set(ids));
  expect(pings).toHaveLength(40);
});

it.each([
  ['was removed', () => [OPENID_CLIENTS.reader], 0],
  ['asks by poll', () => [OPENID_CLIENTS.portal], 0],
  ['has another address', (address: string) => [portal(address)], 1],
] as const)(
  'a client that %s meanwhile is not called at the old address',
  async (_, left, called) => {
    const [before, after] = [await pinged(onTestFinished), await pinged(onTestFinished)];
    const at = await openStrictOpenid(onTestFinished, [portal(before.address(204))]);
    await startPush(await configAt(at), hint(AMAL));
    writeClientsFile(dirname(at.clientsFile), left(after.address(204)));
    await at.service.reload();
    await decideOnPhoneOf({ provider: at.origin }, AMAL);
    const waits = async () => (await fetch(`${at.origin}/metrics`)).text();
    await expect.poll(waits).toContain('{kind="ping",reason="attempt_ended"} 1');
    expect([before.pings.length, after.pings.length]).toEqual([0, called]);
  },
);

it('a service that stops waits for no push, and tells nobody of one that is open', async () => {
  const { address, pings } = await pinged(onTestFinished);
  const at = await openStrictOpenid(onTestFinished, [portal(address(204))]);
  const config = await configAt(at);
  await Promise.all([startPush(config, hint(AMAL)), startPush(config, hint('1000002201'))]);
  const metrics = await (await fetch(`${at.origin}/metrics`)).text();
  expect(metrics).toMatch(/miftah_\w+\{kind="ping"\} 2/);
  await at.service.close();
  expect(pings).toEqual([]);
  expect(at.service.logLines.filter((line) => /"level":[45]0/.test(line))).toEqual([]);
});

it('a client is told that the person was erased meanwhile', async () => {
  const { address, pings } = await pinged(onTestFinished);
  const at = await openStrictOpenid(onTestFinished, [portal(address(204))]);
  const config = await configAt(at);
  const first = await startPush(config, hint(AMAL));
  await decideOnPhoneOf({ provider: at.origin }, AMAL);
  const { sub = '' } = { ...(await first.end()).claims() };
  const { poll } = await startPush(config, hint(AMAL));
  const store = await openStoreBeside(at.service);
  const user = await store.findSubject(sub);
  if (user === null) throw new Error('nobody has this sub');
  await store.eraseUser({ userId: user.id, at: Date.now(), pushesOf: [], keepsOut: null });
  await expect.poll(() => pings).toHaveLength(2);
  await expect(poll()).rejects.toMatchObject({ error: 'expired_token' });
});

it.each([
  ['no token', {}],
  ['no Bearer token', { client_notification_token: 'a b' }],
  ['a long one', { client_notification_token: 'a'.repeat(1025) }],
])('a request with %s is refused', async (_, token) => {
  const begun = startPush(await configAt(place().at), { login_hint: AMAL, ...token });
  await expect(begun).rejects.toMatchObject({ error: 'invalid_request' });
});

it.each([
  ['has answered 500', 500],
  ['has answered 302', 302],
  ['could not be connected to (ECONNREFUSED)', 'http://127.0.0.1:1/ping'],
  ['leads to a private or reserved address', 'https://10.255.255.1/ping'],
])('a client that can’t be told because it %s gets its tokens by poll', async (reason, of) => {
  const { address, pings } = await pinged(onTestFinished);
  const endpoint = typeof of === 'string' ? of : address(of);
  const at = await openStrictOpenid(onTestFinished, [portal(endpoint)]);
  const { asked, poll } = await startPush(await configAt(at), hint(AMAL));
  await decideOnPhoneOf({ provider: at.origin }, AMAL);
  const told = () => at.service.logLines.filter((line) => line.includes('of the end of a push'));
  await expect.poll(told).toHaveLength(1);
  expect(told()[0]).toContain(`portal: its backchannel_client_notification_endpoint ${reason}`);
  expect(at.service.logLines.join('')).not.toContain(NOTIFICATION);
  expect(at.service.logLines.join('')).not.toContain(asked.auth_req_id);
  expect((await poll()).claims()).toHaveProperty('sub');
  expect(pings).toHaveLength(typeof of === 'string' ? 0 : 1);
});

it('who finds no place to wait is not told, and gets the tokens by poll', async () => {
  const { address, pings } = await pinged(onTestFinished);
  const settings = { WAITERS_MAX: '0' };
  const at = await openStrictOpenid(onTestFinished, [portal(address(204))], settings);
  const { end } = await startPush(await configAt(at), hint(AMAL));
  await expect.poll(() => at.service.logLines.join('')).toContain('too many calls were under way');
  await decideOnPhoneOf({ provider: at.origin }, AMAL);
  expect((await end()).claims()).toHaveProperty('sub');
  expect(pings).toEqual([]);
});
