import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../service/test/support/programs/until.ts';
import { askThrough } from '../support/proxies/ask.ts';
import { openInstance } from '../support/proxies/instance.ts';
import { kindOf, KINDS } from '../support/proxies/kinds.ts';
import { openProxy } from '../support/proxies/open-proxy.ts';
import { eachProxy, ORIGIN } from '../support/proxies/scene.ts';

/** Two instances behind each proxy: what reaches them, and what happens when one of them goes. */

async function openPair(name: string) {
  const kind = kindOf(name);
  const one = await openInstance(onTestFinished);
  const other = await openInstance(onTestFinished);
  const proxy = await openProxy(kind, [one.port, other.port], onTestFinished);
  const ask = (method: string, path = '/x') =>
    askThrough(proxy, ORIGIN + path, { method, ...(method === 'GET' ? {} : { body: '{}' }) });
  await until(async () => (await ask('GET')).status === 200);
  return { one, other, proxy, ask };
}

eachProxy('%s passes on what a request says, and not what it pretends', async (name) => {
  const { one, other, proxy } = await openPair(name);
  const kept = {
    origin: 'https://bank.example.test',
    cookie: '__Host-miftah_1=a; b=c',
    authorization: 'Bearer x',
    'idempotency-key': 'y'.repeat(22),
    'x-provider-attempt-token': 'z',
    'x-end-user-address': '203.0.113.9',
  };
  const dropped = {
    forwarded: 'for=203.0.113.1;host=evil.example',
    'x-real-ip': '203.0.113.1',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-port': '444',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'a=b',
    upgrade: 'websocket',
  };
  const headers = { ...kept, ...dropped, 'x-forwarded-for': '203.0.113.1, 127.0.0.1' };
  const from = { localAddress: '127.0.4.4' };
  const url = `${ORIGIN}/api/v1/a%2Fb/../c?d=%20&e`;
  const init = { method: 'POST', headers, body: '{"f":1}' };
  expect((await askThrough(proxy, url, init, from)).status).toBe(200);
  const seen = [...one.received, ...other.received].find(({ method }) => method === 'POST');
  expect(seen).toMatchObject({ url: '/api/v1/c?d=%20&e', body: '{"f":1}' });
  expect(seen?.headers).toMatchObject({
    ...kept,
    host: 'login.example.com',
    'x-forwarded-for': '127.0.4.4',
    'x-forwarded-proto': 'https',
  });
  for (const header of Object.keys(dropped)) expect(seen?.headers).not.toHaveProperty(header);
});

eachProxy('threat 94: %s never sends a POST twice, when an instance dies with it', async (name) => {
  const { one, other, ask } = await openPair(name);
  one.dies = true;
  const answers = [];
  for (let sent = 0; sent < 12; sent += 1) answers.push((await ask('POST', `/${sent}`)).status);
  const posts = [...one.received, ...other.received].filter(({ method }) => method === 'POST');
  expect(posts.map(({ url }) => url).toSorted()).toEqual(
    Array.from({ length: 12 }, (__, sent) => `/${sent}`).toSorted(),
  );
  const lost = one.received.filter(({ method }) => method === 'POST');
  expect(answers.filter((status) => status === 502 || status === 503)).toHaveLength(lost.length);
  expect(answers).toContain(200);
});

eachProxy('%s leaves out an instance that has closed its port', async (name) => {
  const { one, other, ask } = await openPair(name);
  one.close();
  const statuses = async () => {
    const asked = [];
    for (let sent = 0; sent < 6; sent += 1) asked.push((await ask('POST')).status);
    return asked;
  };
  // A POST that goes out on a kept connection while the instance closes it gets 502, and Caddy can't
  // repeat a body at all: each has to notice the closed port first.
  await until(async () => (await statuses()).every((status) => status === 200));
  expect(await statuses()).toEqual(Array.from({ length: 6 }, () => 200));
  other.close();
  // The first ones may go out on a kept connection, as above.
  await until(async () => (await ask('POST')).status === 503);
  const answer = await ask('POST');
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await answer.json()).toMatchObject({ code: 'service.away' });
});

eachProxy('%s leaves out an instance that is not ready', async (name) => {
  const { one, other, ask } = await openPair(name);
  one.isReady = false;
  // nginx without a subscription asks no instance whether it is ready.
  if (name === 'nginx') return;
  const isLeftOut = async () => {
    const before = one.received.length;
    for (let sent = 0; sent < 4; sent += 1) await ask('GET');
    return one.received.length === before;
  };
  await until(isLeftOut);
  expect(other.received.length).toBeGreaterThan(0);
  one.isReady = true;
  await until(async () => !(await isLeftOut()));
});

test('each configuration has a line for another instance', () => {
  const places = { folder: '/nowhere', httpPort: 80, httpsPort: 443, instances: [3000, 3001] };
  for (const kind of KINDS) {
    const others = kind.render(places).match(/^[^#\n]*127\.0\.0\.1:3001/gm);
    expect(others).toHaveLength(1);
  }
});
