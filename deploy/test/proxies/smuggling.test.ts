import { expect, test } from 'vitest';
import { until } from '../../../service/test/support/programs/until.ts';
import { askThrough, type From } from '../support/proxies/ask.ts';
import { askHttp2 } from '../support/proxies/ask-http2.ts';
import { ATTACKS, TUNNELS_BY_HTTP2 } from '../support/proxies/attacks.ts';
import type { Proxy } from '../support/proxies/open-proxy.ts';
import { answersIn, RawClient } from '../support/proxies/raw-client.ts';
import { eachProxy, hasProxies, NAMES, ORIGIN, shareScene } from '../support/proxies/scene.ts';

/** Threat 41 behind each proxy: the proxy and the service always count the same requests. */

const scene = shareScene();

let people = 0;

/** A client at another address, because the service limits each. */
function somebody(): From {
  people += 1;
  return { localAddress: `127.9.${people >> 7}.${(people & 127) + 1}` };
}

/** Sends the bytes, and leaves when there is an answer or the connection is over. */
async function attack(proxy: Proxy, bytes: string): Promise<string> {
  const client = new RawClient(proxy, somebody());
  await client.write(bytes);
  await until(() => client.isClosed || /^HTTP\/1\.1 (?!100)[^]*\r\n\r\n/m.test(client.text));
  client.close();
  return client.text;
}

/** Somebody else, whose requests may go over the connection that the attack was sent on. */
async function askAsVictim(proxy: Proxy): Promise<void> {
  const live = await askThrough(proxy, `${ORIGIN}/livez`);
  expect([live.status, await live.json()]).toEqual([200, { status: 'live' }]);
  const user = await askThrough(proxy, `${ORIGIN}/api/v1/user`, {}, somebody());
  expect([user.status, await user.json()]).toMatchObject([401, { code: 'token.missing' }]);
}

eachProxy(
  'threat 41: %s lets nobody put a request before that of somebody else',
  async (name) => {
    const { proxy } = scene(name);
    for (const [what, bytes] of ATTACKS) {
      const text = await attack(proxy, bytes);
      expect(text, what).not.toMatch(/^HTTP\/1\.1 (101|500)/);
      expect(
        answersIn(text).filter(({ body }) => body.includes('/hidden')),
        what,
      ).toEqual([]);
      await askAsVictim(proxy);
    }
  },
  60_000,
);

eachProxy(
  'threat 41: %s turns HTTP/2 into one request at a time',
  async (name) => {
    const { proxy } = scene(name);
    const start = {
      ':method': 'POST',
      ':path': '/api/v1/start',
      'content-type': 'application/json',
    };
    const hidden = 'GET /api/v1/hidden HTTP/1.1\r\nHost: login.example.com\r\n\r\n';
    const sent = [
      [{ ...start, 'content-length': '0' }, hidden],
      [{ ...start, 'content-length': '9' }, hidden],
      [{ ...start, 'content-length': '999' }, hidden],
      [{ ':path': '/livez HTTP/1.1' }, undefined],
      [{ ':path': '/livez', host: 'evil.example' }, undefined],
      ...Object.values(TUNNELS_BY_HTTP2).flatMap(
        (headers) =>
          [
            [headers, undefined],
            [headers, hidden],
          ] as const,
      ),
    ] as const;
    for (const [headers, body] of sent) {
      // An error of the stream is a right answer as well.
      await askHttp2(proxy, headers, body).catch(() => undefined);
      await askAsVictim(proxy);
    }
  },
  60_000,
);

interface Seen {
  readonly id: string;
  readonly method: string;
  readonly place: string;
}

/** What the service says that it has handled. Proxies ask for readiness by themselves. */
function handled(log: string): readonly Seen[] {
  const lines = log.split('\n').filter((line) => line.includes('"msg":"request"'));
  const parsed = lines.map((line) => JSON.parse(line) as Record<string, string>);
  return parsed
    .filter(({ route }) => route !== '/readyz')
    .map(({ reqId = '', method = '', route = '' }) => ({ id: reqId, method, place: route }));
}

/** What a proxy says of requests, in its own form. */
interface Said {
  readonly request_id?: string;
  readonly method?: string;
  readonly path?: string;
  /** Of Caddy. */
  readonly request?: { readonly method: string; readonly uri: string };
}

/** What a proxy says that it was asked. Caddy does not say which request of the service it was. */
function asked(log: string): readonly Seen[] {
  const lines = log.split('\n').filter((line) => line.startsWith('{') && line.includes('"status"'));
  return lines.map((line) => {
    const { request_id: id = '', request, ...said } = JSON.parse(line) as Said;
    const { method = request?.method ?? '', path = request?.uri ?? '' } = said;
    return { id, method, place: path.replace(ORIGIN, '') };
  });
}

const nameOf = ({ method, place }: Seen) => `${method} ${place}`;

test('threat 41: the service has handled what the proxies were asked', async () => {
  if (!hasProxies) return;
  const { service } = scene('nginx').rehearsal;
  let all: readonly Seen[] = [];
  let known: readonly Seen[] = [];
  await until(() => {
    known = handled(service.stdout()).filter(({ place }) => place !== 'unknown');
    all = NAMES.flatMap((name) => asked(scene(name).proxy.logs()));
    const [ofService, ofProxies] = [countsOf(known), countsOf(all)];
    return [...ofService].every(([name, count]) => count <= (ofProxies.get(name) ?? 0));
  });
  expect(known.length).toBeGreaterThan(6 * ATTACKS.length);
  const byId = new Map(all.map((one) => [one.id, one]));
  const pairs = known.map((one) => [nameOf(one), byId.get(one.id)] as const);
  const told = pairs.filter(([, found]) => found !== undefined);
  expect(told.length).toBeGreaterThan(4 * ATTACKS.length);
  for (const [name, found] of told) expect(found && nameOf(found)).toBe(name);
});

function countsOf(all: readonly Seen[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(nameOf(one), (counts.get(nameOf(one)) ?? 0) + 1);
  return counts;
}
