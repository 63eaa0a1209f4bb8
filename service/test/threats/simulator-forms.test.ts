import { request as send } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startServiceForTest } from '../support/programs/for-test.ts';
import { SIMULATOR, type ServiceProcess } from '../support/programs/service-process.ts';
import { ownCost } from '../support/attacks/cost.ts';
import { cpuSeconds } from '../support/attacks/unread/crowd.ts';
import { eachOf, times } from '../support/attacks/crowd.ts';

const AUTHORIZE = '/authservice/authorize?ui_locales=en';
const FORM = 'application/x-www-form-urlencoded';
/** As many fields with different names as fit into 16 KB. */
const MANY = times(4000)
  .map((n) => n.toString(36))
  .join('&');

/** Times the cost of only parsing them. It is about 5 (2026-11-23). */
const MOST = 30;

const faces: readonly [string, () => Promise<ServiceProcess>][] = [
  ['in the service', () => startServiceForTest()],
  ['by itself', () => startServiceForTest({ main: SIMULATOR })],
];

describe('threat 67: forms that are costly to read', () => {
  it.each(faces)('cost the simulator little: %s', async (_, start) => {
    const { origin, pid } = await start();
    const post = (body: string) =>
      fetch(origin + AUTHORIZE, { method: 'POST', headers: { 'content-type': FORM }, body });
    // The one-time costs of the first request are not measured.
    await post('a');
    const before = await cpuSeconds(pid);
    const answers = await eachOf(times(200), async () => (await post(MANY)).status);
    const spent = (await cpuSeconds(pid)) - before;
    expect(new Set(answers)).toEqual(new Set([404]));
    const parsing = ownCost(() => void times(200).map(() => new URLSearchParams(MANY)));
    expect(spent).toBeLessThan(MOST * parsing);
  });

  it.each(faces)('and a foreign page’s is refused before it is read: %s', async (_, start) => {
    const { port } = await start();
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      expect(await beforeTheBody(port, { ...headers, 'content-type': FORM })).toBe(403);
    }
  });
});

/** The status of the answer to a form of which only the head was sent. */
async function beforeTheBody(port: number, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const head = { ...headers, 'content-length': '100' };
  const asked = send({ port, host: '127.0.0.1', method: 'POST', path: AUTHORIZE, headers: head });
  asked.once('response', ({ statusCode = 0 }) => {
    resolve(statusCode);
    asked.destroy();
  });
  asked.once('error', reject).flushHeaders();
  return promise;
}
