import { expect, onTestFinished } from 'vitest';
import { until } from '../../../service/test/support/programs/until.ts';
import { askHttp2 } from '../support/proxies/ask-http2.ts';
import { TUNNELS, TUNNELS_BY_HTTP2 } from '../support/proxies/attacks.ts';
import { openInstance, type FakeInstance } from '../support/proxies/instance.ts';
import { kindOf } from '../support/proxies/kinds.ts';
import { openProxy, type Proxy } from '../support/proxies/open-proxy.ts';
import { answersIn, RawClient } from '../support/proxies/raw-client.ts';
import { eachProxy } from '../support/proxies/scene.ts';

/**
 * Threat 41: no proxy opens a tunnel, in which a client writes requests of its own. The instance here
 * would open one, so that the service is not the only one who refuses.
 */

/** Whether it ends the exchange of requests: the proxy no longer reads what follows. */
const isTunnel = ({ received, tunnelled }: FakeInstance) =>
  tunnelled.length > 0 ||
  received.some(
    ({ method, headers }) => method === 'CONNECT' || /upgrade/i.test(headers.connection ?? ''),
  );

async function statusByHttp1(proxy: Proxy, bytes: string): Promise<number> {
  const client = new RawClient(proxy);
  await client.write(bytes);
  await until(() => client.isClosed || answersIn(client.text).length > 0);
  client.close();
  return answersIn(client.text)[0]?.status ?? 0;
}

/** Zero for an error of the stream, which is a right answer as well. */
async function statusByHttp2(proxy: Proxy, headers: Readonly<Record<string, string>>) {
  const answers = [undefined, 'GET /hidden HTTP/1.1\r\n\r\n'].map((body) =>
    askHttp2(proxy, headers, body).then(
      ({ status }) => status,
      () => 0,
    ),
  );
  return Promise.all(answers);
}

const REFUSED = [0, 400, 405, 421, 501];

eachProxy(
  'threat 41: %s opens no tunnel',
  async (name) => {
    const instance = await openInstance(onTestFinished);
    const proxy = await openProxy(kindOf(name), [instance.port], onTestFinished);
    await until(async () => (await askHttp2(proxy, { ':path': '/livez' })).status === 200);
    const found = [];
    for (const [what, bytes] of Object.entries(TUNNELS)) {
      // nginx and Caddy drop these headers, and pass the request on without them.
      const isRight = [...REFUSED, ...(name === 'HAProxy' ? [] : [200])];
      const status = await statusByHttp1(proxy, bytes);
      if (!isRight.includes(status)) found.push([what, status]);
      if (isTunnel(instance)) found.push([what, 'tunnel']);
      instance.received.length = instance.tunnelled.length = 0;
    }
    for (const [what, headers] of Object.entries(TUNNELS_BY_HTTP2)) {
      const statuses = await statusByHttp2(proxy, headers);
      const isRefused = statuses.every((status) => REFUSED.includes(status));
      if (!isRefused) found.push([`${what} by HTTP/2`, ...statuses]);
      if (isTunnel(instance)) found.push([`${what} by HTTP/2`, 'tunnel']);
      instance.received.length = instance.tunnelled.length = 0;
    }
    expect(found).toEqual([]);
  },
  90_000,
);
