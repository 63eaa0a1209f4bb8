import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { atLength } from '../../../scripts/test-length.ts';
import { share, temporaryFolder } from '../support/at-end.ts';
import { openListening, shareListeningService } from '../support/service/listening-service.ts';
import { decideOnPhone } from '../support/client/person.ts';

/** The client in a page, in its workers, and in a page that sleeps, in a real Chromium. */

const SOON = { interval: 50 };
const HOUR_MS = 3_600_000;
const CLIENT = createRequire(import.meta.url).resolve('@miftah/client');

/** Signs in by phone; `report` is told the attempt, and then how it ended. */
const SIGN_IN = `
  import { createClient } from './client.js';
  export async function signIn(baseUrl, nationalId, report) {
    const attempt = await createClient({ baseUrl }).start({ locale: 'en', nationalId });
    report({ id: attempt.id, expiresAt: attempt.expiresAt.getTime() });
    const { status } = await attempt.waitForResult();
    const session = await attempt.issueToken();
    report({ status, user: session.user.id });
  }`;
const IN_PAGE = `
  import { signIn } from './sign-in.js';
  window.reports = [];
  window.signIn = (...what) => void signIn(...what, (said) => {
    window.lastReport = Date.now();
    window.reports.push(said);
  });`;
const IN_WORKER = `
  import { signIn } from './sign-in.js';
  onmessage = ({ data }) => void signIn(...data, (said) => postMessage(said));`;
const IN_THREAD = `
  import { parentPort, workerData } from 'node:worker_threads';
  import { signIn } from './sign-in.js';
  await signIn(...workerData, (said) => parentPort.postMessage(said));`;

interface Report {
  readonly id?: string;
  readonly expiresAt?: number;
  readonly status?: string;
  readonly user?: number;
}

const service = shareListeningService();
const base = () => `${service().origin}/api/v1`;

const files = share(async () => {
  const bundle = await rolldown({ input: CLIENT, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm' });
  return new Map([
    ['/client.js', output[0].code],
    ['/sign-in.js', SIGN_IN],
    ['/page.js', IN_PAGE],
    ['/worker.js', IN_WORKER],
  ]);
});

const site = share(async (atEnd) => {
  const server = createServer(({ url = '/' }, response) => {
    const script = files().get(url);
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.end(
      script ??
        '<!doctype html><title>A page</title><script type="module" src="/page.js"></script>',
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

async function openPage(script = ''): Promise<Page> {
  const tab = await openTab(browser);
  onTestFinished(() => tab[Symbol.asyncDispose]());
  if (script !== '') await tab.page.addInitScript(script);
  await tab.page.goto(site());
  await tab.page.waitForFunction('"signIn" in window');
  return tab.page;
}

const reportsOf = (page: Page) => page.evaluate<Report[]>('window.reports');

/** Begins a sign-in in the page. @returns what it has reported of its attempt */
async function begin(page: Page, nationalId: string, at = base()): Promise<Required<Report>> {
  await page.evaluate(`window.signIn(${JSON.stringify(at)}, '${nationalId}')`);
  await expect.poll(() => reportsOf(page), SOON).toHaveLength(1);
  const [started] = await reportsOf(page);
  return started as Required<Report>;
}

async function endOf(page: Page): Promise<Report | undefined> {
  await expect.poll(() => reportsOf(page), SOON).toHaveLength(2);
  return (await reportsOf(page))[1];
}

/** A service of the test's own, which starts again without a word to its connections. */
async function restartable() {
  let running = await openListening();
  const { port, dataDir, origin } = running;
  return {
    base: `${origin}/api/v1`,
    current: () => running,
    async restart() {
      const stopped = running.stop();
      running.server.closeAllConnections();
      await stopped;
      running = await openListening({ port, dataDir });
    },
  };
}

const SIGNED_IN = { status: 'authenticated', user: expect.any(Number) as number };

describe('the client in Chromium', () => {
  test('signs in from a page', async () => {
    const page = await openPage();
    await decideOnPhone(service(), await begin(page, '1000001101'));
    expect(await endOf(page)).toEqual(SIGNED_IN);
  });

  test('signs in from a worker of a page', async () => {
    const page = await openPage();
    await page.evaluate(`
      const worker = new Worker('/worker.js', { type: 'module' });
      worker.onmessage = ({ data }) => window.reports.push(data);
      worker.postMessage([${JSON.stringify(base())}, '1000002201']);`);
    await expect.poll(() => reportsOf(page), SOON).toHaveLength(1);
    const [started] = await reportsOf(page);
    await decideOnPhone(service(), { id: started?.id ?? '' });
    expect(await endOf(page)).toEqual(SIGNED_IN);
  });

  test('C-26 goes on after the page has slept, and its connections were cut', async () => {
    const page = await openPage();
    const own = await restartable();
    const started = await begin(page, '1000003301', own.base);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Debugger.enable');
    const asleep = new Promise((resolve) => devtools.once('Debugger.paused', resolve));
    await devtools.send('Debugger.pause');
    await asleep;
    await own.restart();
    await decideOnPhone(own.current(), started);
    const woken = Date.now();
    await devtools.send('Debugger.resume');
    expect(await endOf(page)).toEqual(SIGNED_IN);
    expect(await page.evaluate<number>('window.lastReport')).toBeGreaterThanOrEqual(woken);
  });

  test('C-26 goes on after the page was offline', async () => {
    const page = await openPage();
    const own = await restartable();
    const started = await begin(page, '1000004401', own.base);
    let failed = 0;
    page.on('requestfailed', () => (failed += 1));
    await page.context().setOffline(true);
    await own.restart();
    await decideOnPhone(own.current(), started);
    await expect.poll(() => failed, SOON).toBeGreaterThan(2);
    expect(await reportsOf(page)).toHaveLength(1);
    await page.context().setOffline(false);
    expect(await endOf(page)).toEqual(SIGNED_IN);
  });

  test.each(atLength([-6, 6], [6]))(
    'C-25 signs in where the clock is %d hours off',
    async (hours) => {
      const page = await openPage(clockThatIs(hours));
      const before = await serviceNow();
      const started = await begin(page, '2000005501');
      const lifetime = started.expiresAt - before;
      expect(lifetime).toBeGreaterThan(4 * 60_000);
      expect(lifetime).toBeLessThan(6 * 60_000);
      expect(Math.abs((await page.evaluate<number>('Date.now()')) - before)).toBeGreaterThan(
        5 * HOUR_MS,
      );
      await decideOnPhone(service(), started);
      expect(await endOf(page)).toEqual(SIGNED_IN);
    },
  );
});

/** A script that moves the clock of its page. */
function clockThatIs(hours: number): string {
  return `
    const now = () => performance.timeOrigin + performance.now() + ${hours * HOUR_MS};
    globalThis.Date = class extends Date {
      constructor(...given) {
        super(...(given.length === 0 ? [now()] : given));
      }
      static now = now;
    };`;
}

/** The service's own clock, to the second. */
async function serviceNow(): Promise<number> {
  const { headers } = await fetch(`${service().origin}/livez`);
  return Date.parse(headers.get('date') ?? '');
}

test('the client signs in from a thread of Node', async () => {
  const folder = temporaryFolder('thread');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const [name, text] of files()) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'thread.js'), IN_THREAD);
  const thread = new Worker(join(folder, 'thread.js'), { workerData: [base(), '2000006601'] });
  const reports: Report[] = [];
  thread.on('message', (said: Report) => void reports.push(said));
  await expect.poll(() => reports, SOON).toHaveLength(1);
  await decideOnPhone(service(), { id: reports[0]?.id ?? '' });
  await once(thread, 'exit');
  expect(reports[1]).toEqual(SIGNED_IN);
});
