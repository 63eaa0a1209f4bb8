import { readFileSync } from 'node:fs';
import { maxHeaderSize } from 'node:http';
import { join } from 'node:path';
import { BODY_LIMITS } from '@miftah/contract';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../../scripts/run.mjs';
import { until } from '../../../service/test/support/programs/until.ts';
import { askThrough } from '../support/proxies/ask.ts';
import { openInstance } from '../support/proxies/instance.ts';
import { configurationOf, kindOf, PROXY_FILES } from '../support/proxies/kinds.ts';
import { openProxy } from '../support/proxies/open-proxy.ts';
import { RawClient, shakeHands, ticketOf } from '../support/proxies/raw-client.ts';
import { eachProxy, ORIGIN } from '../support/proxies/scene.ts';

/** Lines of the configurations that no other test needs. */

async function open(name: string) {
  const instance = await openInstance(onTestFinished);
  const proxy = await openProxy(kindOf(name), [instance.port], onTestFinished);
  await until(async () => (await askThrough(proxy, `${ORIGIN}/ready`)).status === 200);
  instance.received.length = 0;
  return { instance, proxy };
}

eachProxy('%s does not say its version', async (name) => {
  const { proxy } = await open(name);
  for (const path of ['/x', '/metrics']) {
    const { headers } = await askThrough(proxy, ORIGIN + path);
    expect(headers.get('server') ?? '', path).not.toMatch(/\d/);
  }
});

eachProxy('%s agrees on no cipher without authentication of its data', async (name) => {
  const { proxy } = await open(name);
  const maxVersion = 'TLSv1.2';
  const good = 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256';
  expect(await shakeHands(proxy, { maxVersion, ciphers: good })).toBe(maxVersion);
  for (const ciphers of ['ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA', 'AES128-GCM-SHA256']) {
    await expect(shakeHands(proxy, { maxVersion, ciphers }), ciphers).rejects.toThrow();
  }
});

eachProxy('%s gives no ticket whose key would decrypt later connections', async (name) => {
  const { proxy } = await open(name);
  const ticket = await ticketOf(proxy);
  // Caddy changes the key of its tickets twice a day.
  if (name === 'Caddy') expect(ticket).not.toBeUndefined();
  else expect(ticket).toBeUndefined();
});

eachProxy('%s sends what the client has sent, and no request for compression', async (name) => {
  const { instance, proxy } = await open(name);
  const client = new RawClient(proxy);
  await client.write('GET /x HTTP/1.1\r\nHost: login.example.com\r\n\r\n'.repeat(3));
  await until(() => client.isClosed || instance.received.length === 3);
  client.close();
  expect(instance.received).toHaveLength(3);
  for (const { headers } of instance.received) expect(headers['accept-encoding']).toBeUndefined();
  const connections = new Set(instance.received.map(({ from }) => from));
  // nginx keeps a connection for a second.
  expect(connections.size).toBe(name === 'nginx' ? 1 : 3);
});

/** Lines, and a part of the comment above each. */
const NEEDED: readonly (readonly [file: string, line: string, reason: string])[] = [
  ['nginx.conf', 'reset_timedout_connection on;', 'the system keeps for it'],
  ['nginx.conf', 'client_body_buffer_size 16k;', 'never in a file'],
  ['nginx.conf', 'proxy_max_temp_file_size 0;', 'never in a file'],
  ['nginx.conf', 'proxy_next_upstream_tries 2;', 'than two instances'],
  ['haproxy.cfg', 'maxconn 8192', '2 GB at most'],
];

test('lines whose loss only an attack on memory or disks would show have a reason', () => {
  for (const [file, line, reason] of NEEDED) {
    const lines = configurationOf(file).split('\n');
    const at = lines.findIndex((one) => one.trim() === line);
    expect(at, `${file}: ${line}`).toBeGreaterThan(0);
    const comment = lines.slice(0, at).findLastIndex((one) => one.trim().startsWith('#'));
    expect(lines.slice(comment - 2, comment + 1).join('\n'), `${file}: ${line}`).toContain(reason);
  }
});

test('each place to change ends with # CHANGE', () => {
  for (const file of PROXY_FILES) {
    const lines = configurationOf(file).split('\n');
    const places = lines.filter((line) =>
      /login\.example\.com|127\.0\.0\.1|\/etc\/miftah-/.test(line),
    );
    expect(places.length, file).toBeGreaterThan(4);
    expect(places.filter((line) => !line.endsWith(' # CHANGE'))).toEqual([]);
  }
});

/** The number in what the expression finds, in bytes. */
function sizes(file: string, pattern: RegExp): readonly number[] {
  const units: Readonly<Record<string, number>> = { k: 1024, KB: 1000 };
  return [...configurationOf(file).matchAll(pattern)].map(
    ([, number = '', unit = '']) => Number(number) * (units[unit] ?? 1),
  );
}

test('each configuration has the limits of the service', () => {
  const bodies = [
    ...sizes('nginx.conf', /client_max_body_size (\d+)(k);/g),
    ...sizes('haproxy.cfg', /req\.body_size gt (\d+) /g),
    ...sizes('Caddyfile', /\bmax_size (\d+)$/gm),
  ];
  expect(bodies).toEqual([BODY_LIMITS.bytes, BODY_LIMITS.bytes, BODY_LIMITS.bytes]);
  const announced = /header_regexp Content-Length (\S+)/.exec(configurationOf('Caddyfile'))?.[1];
  const isRefused = new RegExp(announced ?? '');
  expect(isRefused.test(`${BODY_LIMITS.bytes}`)).toBe(false);
  for (const more of [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]) {
    expect(isRefused.test(`${BODY_LIMITS.bytes + more}`), `${more}`).toBe(true);
  }
  const heads = [
    ...sizes('nginx.conf', /large_client_header_buffers 2 (\d+)(k);/g),
    ...sizes('haproxy.cfg', /,length gt (\d+) /g),
    ...sizes('Caddyfile', /max_header_size (\d+)(KB)$/gm),
  ];
  expect(heads).toHaveLength(4);
  // The service has Node's own limit.
  for (const bytes of heads) expect(bytes).toBeGreaterThan(3 * maxHeaderSize);
});

test('the Ingress of Kubernetes has the limits too, and its log no queries', () => {
  const file = join(root, 'deploy', 'kubernetes', 'manifests', '4-ingress.yaml');
  const said = readFileSync(file, 'utf8').replaceAll("'", '');
  expect(said).toContain('/enable-access-log: false\n');
  expect(said).toContain(`/proxy-body-size: ${BODY_LIMITS.bytes / 1024}k\n`);
  expect(said).toContain('/proxy-next-upstream: error timeout\n');
});
