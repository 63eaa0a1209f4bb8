import { request } from 'node:http';
import { expect } from 'vitest';
import { askThrough } from '../support/proxies/ask.ts';
import { askHttp2 } from '../support/proxies/ask-http2.ts';
import { METRICS_PATHS } from '../support/proxies/metrics-paths.ts';
import {
  answersIn,
  exchange,
  sendBeforeReading,
  shakeHands,
} from '../support/proxies/raw-client.ts';
import { eachProxy, NAMES, ORIGIN, shareScene } from '../support/proxies/scene.ts';

/** What each proxy lets through, refuses and writes down. The service is a rehearsal of live mode. */

const scene = shareScene();

const SECRET = 'a-secret-in-a-query';
const OWN = 'Host: login.example.com\r\n';
const get = (target: string, lines = OWN) =>
  `GET ${target} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`;
const statusOf = (text: string) => answersIn(text)[0]?.status;

eachProxy('%s sends everybody from http to the one name on https', async (name) => {
  const { proxy } = scene(name);
  for (const host of ['login.example.com', 'evil.example']) {
    const path = `/api/v1/callback?state=${SECRET}`;
    const sent = request({ host: '127.0.0.1', port: proxy.httpPort, path, headers: { host } });
    const answer = await new Promise<{ statusCode?: number; headers: { location?: string } }>(
      (resolve, reject) => sent.once('response', resolve).once('error', reject).end(),
    );
    expect([answer.statusCode, answer.headers.location]).toEqual([308, ORIGIN + path]);
    expect(answer.headers).not.toHaveProperty('strict-transport-security');
  }
});

eachProxy('%s passes the headers of the service on, and adds HSTS', async (name) => {
  const answer = await askThrough(scene(name).proxy, `${ORIGIN}/readyz`);
  expect(await answer.json()).toEqual({ status: 'ready' });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'strict-transport-security': 'max-age=31536000',
    'cache-control': 'no-store',
    'x-auth-mode': 'rehearsal',
    'x-content-type-options': 'nosniff',
  });
});

eachProxy('threat 25: %s refuses other host names, wherever they stand', async (name) => {
  const { proxy } = scene(name);
  const asked = {
    'another host': get('/livez', 'Host: evil.example\r\n'),
    'our name before it': get('/livez', 'Host: login.example.com.evil.example\r\n'),
    'our name as its user': get('/livez', 'Host: login.example.com@evil.example\r\n'),
    'two hosts': get('/livez', `${OWN}Host: evil.example\r\n`),
    'two hosts, ours last': get('/livez', `Host: evil.example\r\n${OWN}`),
    'no host': get('/livez', ''),
    'an empty host': get('/livez', 'Host: \r\n'),
    'another host in the target': get('https://evil.example/livez'),
  };
  for (const [what, bytes] of Object.entries(asked)) {
    expect([400, 421], what).toContain(statusOf(await exchange(proxy, bytes)));
  }
  expect(statusOf(await exchange(proxy, get('/livez', 'Host: LOGIN.example.com:443\r\n')))).toBe(
    200,
  );
  expect(statusOf(await exchange(proxy, get(`${ORIGIN}/livez`)))).toBe(200);
});

eachProxy('threat 71: %s keeps the numbers inside, however they are asked for', async (name) => {
  const { proxy, rehearsal } = scene(name);
  const open = await fetch(`${rehearsal.service.origin}/metrics`);
  expect([open.status, await open.text()]).toEqual([200, expect.stringContaining('miftah_')]);
  for (const path of METRICS_PATHS) {
    const text = await exchange(proxy, get(path));
    expect([400, 404, 421], path).toContain(statusOf(text));
    expect(text, path).not.toContain('miftah_');
  }
});

/** Which address the service counts is seen in what it leaves of a limit. */
async function remaining(name: string, from: object, headers: Record<string, string> = {}) {
  const url = `${ORIGIN}/api/v1/status/x`;
  const answer = await askThrough(scene(name).proxy, url, { headers }, from);
  return Number(answer.headers.get('x-ratelimit-remaining'));
}

eachProxy(
  'threat 22: %s tells the service the address of the client, and nothing else',
  async (name) => {
    const place = NAMES.indexOf(name);
    const one = { localAddress: `127.0.1.${10 + place}` };
    const other = { localAddress: `127.0.2.${10 + place}` };
    const v6 = { at: '::1' };
    expect(await remaining(name, one)).toBe(119);
    const forged = [
      '203.0.113.1',
      '203.0.113.2, 127.0.0.1',
      '127.0.0.1',
      '::1',
      'unknown',
      'x'.repeat(99),
    ];
    let left = 119;
    for (const text of forged) {
      const headers = { 'x-forwarded-for': text, forwarded: `for=${text}`, 'x-real-ip': text };
      expect(await remaining(name, one, headers), text).toBe((left -= 1));
    }
    expect(await remaining(name, other)).toBe(119);
    const first = await remaining(name, v6);
    expect(await remaining(name, v6, { 'x-forwarded-for': '2001:db8::1' })).toBe(first - 1);
    expect(await remaining(name, one)).toBe(left - 1);
  },
);

const start = (lines: string, body: string) =>
  `POST /api/v1/start HTTP/1.1\r\n${OWN}Content-Type: application/json\r\n${lines}\r\n${body}`;
const withLength = (bytes: number) => start(`Content-Length: ${bytes}\r\n`, ' '.repeat(bytes));
const inChunks = (bytes: number) =>
  start(
    'Transfer-Encoding: chunked\r\n',
    `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n0\r\n\r\n`,
  );

eachProxy(
  'threat 36: of %s a body that is too large gets 413, and the client reads it',
  async (name) => {
    const { proxy } = scene(name);
    const from = { localAddress: `127.0.3.${10 + NAMES.indexOf(name)}` };
    for (const bytes of [16_385, 100_000, 1_000_000]) {
      for (const whole of [withLength(bytes), inChunks(bytes)]) {
        const [answer] = answersIn(await sendBeforeReading(proxy, whole, from));
        expect(answer?.status, `${bytes} bytes`).toBe(413);
        expect(answer?.body).toContain('"code":"request.too_large"');
      }
    }
    for (const whole of [withLength(16_384), inChunks(16_384)]) {
      const [answer] = answersIn(await sendBeforeReading(proxy, whole, from));
      expect(answer?.body).toContain('"code":"request.malformed_json"');
    }
  },
);

const cookie = (bytes: number) => get('/livez', `${OWN}Cookie: ${'c'.repeat(bytes)}\r\n`);
const many = (count: number) =>
  get('/livez', OWN + `X-Filler: ${'x'.repeat(990)}\r\n`.repeat(count));

eachProxy('threat 65: of %s a head that is too large gets 431', async (name) => {
  const { proxy } = scene(name);
  expect(statusOf(await sendBeforeReading(proxy, cookie(15_000)))).toBe(200);
  const larger = [
    cookie(17_000),
    cookie(60_000),
    cookie(70_000),
    cookie(120_000),
    many(20),
    many(120),
  ];
  for (const bytes of [...larger, get(`/livez?${'q'.repeat(70_000)}`)]) {
    expect(statusOf(await sendBeforeReading(proxy, bytes)), `${bytes.length} bytes`).toBe(431);
  }
  // HAProxy has one answer for whatever does not fit into its buffer.
  const most = statusOf(await sendBeforeReading(proxy, cookie(300_000)));
  expect(most).toBe(name === 'HAProxy' ? 400 : 431);
});

eachProxy('%s speaks HTTP/2, and TLS 1.2 at least', async (name) => {
  const { proxy } = scene(name);
  expect(await askHttp2(proxy, { ':path': '/livez' })).toMatchObject({ status: 200 });
  expect((await askHttp2(proxy, { ':path': '/METRICS' })).status).toBe(404);
  expect((await askHttp2(proxy, { ':path': '/livez', ':authority': 'evil.example' })).status).toBe(
    421,
  );
  expect((await askHttp2(proxy, { ':path': '/livez', cookie: 'c'.repeat(40_000) })).status).toBe(
    431,
  );
  await expect(shakeHands(proxy, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toThrow();
  expect(await shakeHands(proxy, { maxVersion: 'TLSv1.2' })).toBe('TLSv1.2');
  await expect(shakeHands(proxy, { servername: 'evil.example' })).rejects.toThrow();
});

eachProxy('threat 93: %s writes paths into its logs, and no queries', async (name) => {
  const { proxy } = scene(name);
  const query = `?state=${SECRET}&completion_code=${SECRET}`;
  const headers = { cookie: SECRET, authorization: SECRET, referer: `${ORIGIN}/${SECRET}` };
  await askThrough(proxy, `${ORIGIN}/api/v1/callback${query}`, { headers });
  await exchange(proxy, get(`${ORIGIN}/api/v1/callback${query}`));
  await exchange(proxy, get(`/metrics${query}`));
  await exchange(proxy, get(`/livez${query}`, 'Host: evil.example\r\n'));
  await exchange(proxy, `GET /api/v1/callback${query} HTTP/1.1\r\nno header\r\n\r\n`);
  await exchange(proxy, `GET /api/v1/callback${query} HTTP/9\r\n\r\n`);
  await askThrough(proxy, `${ORIGIN}/the-last-request`);
  await expect.poll(() => proxy.logs()).toContain('the-last-request');
  expect(proxy.logs().replaceAll(String.raw`\/`, '/')).toContain('"/api/v1/callback"');
  expect(proxy.logs()).not.toContain(SECRET);
});
