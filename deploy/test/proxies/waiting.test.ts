import { expect, test, vi } from 'vitest';
import { clientOf } from '../../../service/test/support/client/client-for-test.ts';
import { decideOnPhone } from '../../../service/test/support/client/person.ts';
import { LiveClient } from '../../../service/test/support/live/live-client.ts';
import { logIn, signIn } from '../../../service/test/support/live/live-login.ts';
import { PersonBrowser } from '../../../service/test/support/live/person-browser.ts';
import { BANK_KEY } from '../../../service/test/support/live/rehearsal.ts';
import { until } from '../../../service/test/support/programs/until.ts';
import { askThrough, fetchThrough } from '../support/proxies/ask.ts';
import { openLongPoll, openStream } from '../support/proxies/streams.ts';
import { eachProxy, hasProxies, NAMES, ORIGIN, shareScene } from '../support/proxies/scene.ts';
import { drip, neverRead, type Dripped } from '../support/proxies/slow-clients.ts';

/** Whole sign-ins through each proxy, what waits for their end, and who wastes connections. */

const scene = shareScene();

const bank = () => new LiveClient({ service: { origin: ORIGIN } }, BANK_KEY);
const PEOPLE = ['1000001101', '1000002201', '1000003301'];

/** From here on the test's requests to the service go through this proxy. */
const goThrough = (name: string) => vi.stubGlobal('fetch', fetchThrough(scene(name).proxy));

eachProxy('%s: the client signs in by phone, and waits by one stream', async (name) => {
  goThrough(name);
  const client = clientOf({ origin: ORIGIN }, { clientKey: BANK_KEY });
  const nationalId = PEOPLE[NAMES.indexOf(name)] ?? '';
  const attempt = await client.start({ locale: 'en', nationalId });
  const waited = attempt.waitForResult();
  await decideOnPhone(scene(name).rehearsal.simulator, attempt);
  expect((await waited).status).toBe('authenticated');
  expect((await attempt.issueToken()).user.nationalId).toBe(nationalId);
});

eachProxy('%s: a browser signs in by redirect, with its own cookie', async (name) => {
  goThrough(name);
  const started = await bank().startRedirect();
  expect(started.authorization_url).toContain(`${ORIGIN}/`);
  const browser = new PersonBrowser();
  const launched = await browser.press(await browser.open(started.authorization_url));
  const [cookie = ''] = launched.headers.getSetCookie();
  expect(cookie).toMatch(/^__Host-miftah_/);
  expect(cookie).toMatch(/; Secure/i);
  expect(await logIn(bank())).toMatch(/^mft_test_/);
});

/** Longer than proxies wait that were made for short answers. */
async function waitLong(name: string) {
  const { proxy } = scene(name);
  const [one, other] = [await bank().startRedirect(), await bank().startRedirect()];
  const streams = [await openStream(proxy, one, 'http/1.1'), await openStream(proxy, other, 'h2')];
  for (const stream of streams) await stream.has('"status":"pending"');
  const polled = await openLongPoll(proxy, one);
  expect(polled).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
  for (const stream of streams) await stream.has('\n:\n');
  return { attempts: [one, other], streams };
}

/** What a slow sender has to send: it is ended before the last one. */
const SLOW_BYTES = 500;
/** nginx measures between two pieces of a body. */
const bodyOf = (name: string) => (name === 'nginx' ? '' : ' '.repeat(SLOW_BYTES));

async function slowSenders(name: string): Promise<readonly Dripped[]> {
  const { proxy } = scene(name);
  const head =
    'POST /api/v1/start HTTP/1.1\r\nHost: login.example.com\r\nContent-Type: application/json\r\n';
  const inHead = drip(proxy, head, `X: ${'x'.repeat(SLOW_BYTES)}`);
  const inBody = drip(proxy, `${head}Content-Length: 600\r\n\r\n`, bodyOf(name));
  const dripped = [inHead, inBody];
  const live = await askThrough(proxy, `${ORIGIN}/livez`);
  expect(live.status).toBe(200);
  return Promise.all(dripped);
}

test('streams and long polls live on, slow senders and readers do not', async () => {
  if (!hasProxies) return;
  goThrough(NAMES[0] ?? '');
  const readers = NAMES.map((name) => neverRead(scene(name).proxy));
  const slow = NAMES.map(slowSenders);
  const waits = await Promise.all(NAMES.map(waitLong));
  for (const [place, name] of NAMES.entries()) {
    for (const { text, sent } of (await slow[place]) ?? []) {
      expect(text, name).toMatch(/^$|^HTTP\/1\.1 (408|503) /);
      expect(sent, name).toBeLessThan(SLOW_BYTES);
    }
    const [, slowBody] = (await slow[place]) ?? [];
    if (name === 'HAProxy') expect(slowBody?.text).toContain('"code":"request.timeout"');
    // Caddy has no limit for one write.
    if (name !== 'Caddy') expect(await readers[place]?.answered(), name).toBe(false);
    goThrough(name);
    const { attempts, streams } = waits[place] ?? { attempts: [], streams: [] };
    for (const { authorization_url } of attempts) {
      await new PersonBrowser().signIn(authorization_url, 'amal');
    }
    for (const stream of streams) await stream.has('"status":"authenticated"');
    await Promise.all(streams.map((stream) => stream.ended()));
  }
  for (const reader of readers) reader.close();
});

eachProxy(
  'threat 65: %s lets the service end a sign-in whose return is too large',
  async (name) => {
    goThrough(name);
    const { proxy } = scene(name);
    const browser = new PersonBrowser();
    const started = await bank().startRedirect();
    const back = await browser.returnFrom(await browser.launch(started.authorization_url), 'amal');
    const stuffed = { headers: { cookie: `c=${'x'.repeat(50_000)}` } };
    expect((await askThrough(proxy, back.href, stuffed)).status).toBe(431);
    await until(async () => (await browser.open(back)).location === null);
    expect((await bank().status(started)).data['token_ready']).toBe(false);
  },
);

eachProxy('threat 93: of %s no log has what a sign-in keeps secret', async (name) => {
  goThrough(name);
  const { code, started } = await signIn(bank());
  expect(code).not.toBe('');
  await askThrough(scene(name).proxy, `${ORIGIN}/the-last-request`);
  await until(() => scene(name).proxy.logs().includes('the-last-request'));
  const logs = scene(name).proxy.logs();
  for (const secret of [code, started.attempt_token, BANK_KEY, 'state=', ...PEOPLE]) {
    expect(logs).not.toContain(secret);
  }
  expect(logs).not.toMatch(/"(GET|POST) [^"]*\?|"[^"]*\/api\/v1\/[^"]*\?/);
});
