import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testIds } from '@miftah/pages';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { until } from '../support/programs/until.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { BANK_KEY, CLIENTS } from '../support/live/rehearsal.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { eachOf } from '../support/attacks/crowd.ts';
import { OWN_SECRET } from '../support/live/steps.ts';

const MARKUP = '<img src=x onerror="hostile=1"><script>hostile=1</script>';
const BANK = { ...CLIENTS.bank, name: { ar: `مصرف ${MARKUP}`, en: `Bank ${MARKUP}` } };

let browser: Browser;
let rehearsal: OpenedRehearsal;
const simulator = shareListeningService();
let bank: LiveClient;
let tester: LiveClient;
/** Serves the page that is contained in its address. */
let evil: Server;

beforeAll(async () => {
  evil = createServer((request, response) => {
    const html = new URL(request.url ?? '', 'http://evil').searchParams.get('html') ?? '';
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html>${html}`);
  });
  await once(evil.listen(0, '127.0.0.1'), 'listening');
  [browser, rehearsal] = await Promise.all([launchChromium(), openRehearsal({ clients: [BANK] })]);
  bank = new LiveClient(rehearsal, BANK_KEY);
  tester = new LiveClient({ service: simulator() }, null);
});
afterAll(async () => {
  evil.closeAllConnections();
  evil.close();
  await Promise.all([browser.close(), rehearsal[Symbol.asyncDispose]()]);
});

/**
 * A page of another origin; it is same-site with services of the same host name, and cross-site
 * with others.
 */
function evilPage(html: string, name = 'localhost'): string {
  const { port } = evil.address() as AddressInfo;
  return `http://${name}:${port}/?html=${encodeURIComponent(html)}`;
}

const BREAKS = ['', '"', "'", '">', "'>", '</title>', '</strong>', '-->', '\u0000', '&#34;&gt;'];
const TAGS = [
  '<script>hostile=1</script>',
  '<img src=x onerror="hostile=1">',
  '<svg/onload="hostile=1">',
  '<a href="javascript:hostile=1">x</a>',
  '<iframe srcdoc="<script>parent.hostile=1</script>">',
  '<meta http-equiv="refresh" content="0;url=javascript:hostile=1">',
];
const PAYLOADS = BREAKS.flatMap((before) => TAGS.map((tag) => ({ tag, payload: before + tag })));

type Ask = (payload: string) => { url: string; form?: string };

const form = (name: string, payload: string) => new URLSearchParams({ [name]: payload }).toString();
const inLive = (path: string) => `${rehearsal.origins.service}${path}`;
const inSimulator = (path: string) => `${simulator().origin}${path}`;

const PLACES: Readonly<Record<string, Ask>> = {
  'the state of a return': (text) => ({ url: inLive(`/api/v1/callback?${form('state', text)}`) }),
  'the error of a return': (text) => {
    const error = `state=x-${randomUUID()}&${form('error', text)}&${form('error_description', text)}`;
    return { url: inLive(`/api/v1/callback?${error}&${form('locale', text)}`) };
  },
  'the state of a returned form': (text) => ({
    url: inLive('/api/v1/callback'),
    form: form('state', text),
  }),
  'a launch': (text) => ({ url: inLive('/api/v1/callback/launch'), form: form('state', text) }),
  'the secret of a launch': (text) => ({
    url: inLive('/api/v1/callback/launch'),
    form: `state=${randomUUID()}&${form('secret', text)}`,
  }),
  'the code of an error': (text) => ({ url: inLive(`/errors/${encodeURIComponent(text)}`) }),
  'a language': (text) => ({ url: inLive(`/errors?${form('locale', text)}&${form('x', text)}`) }),
  'a path': (text) => ({ url: inLive(`/${encodeURIComponent(text)}`) }),
  'the dashboard': (text) => ({
    url: inSimulator(`/dashboard?${form('attempt_id', text)}&${form('completion_code', text)}`),
  }),
  'a test sign-in': (text) => ({ url: inSimulator(`/api/v1/callback?${form('state', text)}`) }),
  'a test decision': (text) => ({
    url: inSimulator('/api/v1/callback/sign-in'),
    form: `${form('state', text)}&${form('person', text)}&decision=approve`,
  }),
  "the provider's page": (text) => ({
    url: `${rehearsal.simulator.origin}/authservice/authorize?${form('state', text)}`,
  }),
};

/** The inputs that pages show. */
const SHOWN = ['the state of a return', 'a language', 'the dashboard', "the provider's page"];

describe('threat 45: markup in what a page is told', () => {
  it.each(Object.entries(PLACES))(
    `${PAYLOADS.length} payloads in %s come to nothing`,
    async (_, ask) => {
      await eachOf(PAYLOADS, async ({ tag, payload }) => {
        const { url, form: body } = ask(payload);
        const type = {
          'content-type': 'application/x-www-form-urlencoded',
          origin: new URL(url).origin,
        };
        const answer = await fetch(url, {
          redirect: 'manual',
          headers: { accept: 'text/html', ...(body === undefined ? {} : type) },
          ...(body === undefined ? {} : { method: 'POST', body }),
        });
        const text = await answer.text();
        expect(text).not.toContain(tag);
        expect(text).not.toMatch(/<(script|iframe|img|svg\/|meta http-equiv)/i);
        expect(answer.headers.get('location') ?? '').not.toContain('<');
        expect(answer.headers.get('content-security-policy')).toMatch(
          /^default-src 'none'.*frame-ancestors 'none'/,
        );
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      });
    },
  );

  it('in a real browser nothing of it runs, nor what stands in the name of a client', async () => {
    const { authorization_url: launch } = await bank.startRedirect();
    const payload = `"></title>${TAGS.join('')}`;
    const pages = SHOWN.map((place) => PLACES[place]?.(payload).url ?? '');
    await using tab = await openTab(browser);
    for (const address of [launch, ...pages]) {
      await tab.page.goto(address);
      expect(await tab.page.evaluate('typeof hostile')).toBe('undefined');
      expect(await tab.page.locator('script, img, iframe, [onload], [onerror]').count()).toBe(0);
    }
    expect(tab.complaints.filter((said) => said.includes('a dialog'))).toEqual([]);
    await tab.page.goto(`${launch}&locale=en`);
    expect(await tab.page.locator('h1').textContent()).toContain(MARKUP);
  });
});

describe('threat 53: a page in the frame of another', () => {
  const framed: readonly [string, () => Promise<string>, string][] = [
    ['the launch page', async () => (await bank.startRedirect()).authorization_url, testIds.launch],
    [
      'the sign-in page of the simulator mode',
      async () => (await tester.startRedirect()).authorization_url,
      testIds.approve,
    ],
    [
      "the provider's page",
      async () => launchUrl((await bank.startRedirect()).authorization_url),
      testIds.approve,
    ],
  ];

  it.each(framed)('%s is not shown', async (_, addressOf, button) => {
    const address = await addressOf();
    await using tab = await openTab(browser);
    await tab.page.goto(address);
    expect(await tab.page.getByTestId(button).count()).toBe(1);
    await tab.page.goto(evilPage(`<iframe src="${address}"></iframe>`));
    const [, frame] = tab.page.frames();
    await until(() => !['', 'about:blank'].includes(frame?.url() ?? ''));
    expect(frame?.url()).toBe('chrome-error://chromewebdata/');
    expect(await frame?.getByTestId(button).count()).toBe(0);
  });

  it('a frame that may be shown is, so that the tests above say something', async () => {
    await using tab = await openTab(browser);
    await tab.page.goto(evilPage(`<iframe src="${evilPage('<h1>mine</h1>')}"></iframe>`));
    expect(await tab.page.frames()[1]?.textContent('h1')).toBe('mine');
  });

  it('a form of another site can not press the button', async () => {
    const { attempt_id: id, authorization_url: launch } = await bank.startRedirect();
    const action = new URL('/api/v1/callback/launch', launch);
    await using tab = await openTab(browser);
    await tab.page.goto(
      evilPage(`<form method=post action="${action.href}"><input name=state value="${id}">
        <input name=secret value="${OWN_SECRET}"></form>
        <script>document.forms[0].submit()</script>`),
    );
    await tab.page.waitForURL(action.href);
    expect(tab.complaints.join('\n')).toContain(`${action.href}: 403`);
    expect(await tab.page.context().cookies()).toEqual([]);
    // The person's own browser can still be bound to it.
    await using own = await openTab(browser);
    await own.page.goto(launch);
    await own.page.getByTestId(testIds.launch).click();
    await own.page.waitForURL(`${rehearsal.simulator.origin}/**`);
    expect(await own.page.context().cookies()).toHaveLength(1);
  });
});

/** The address that the button leads to. */
async function launchUrl(authorizationUrl: string): Promise<string> {
  const own = new PersonBrowser();
  return (await own.press(await own.open(authorizationUrl))).location?.href ?? '';
}

/** A development server on another port: browsers call it same-site, but it must not be trusted. */
const SAME_NAME = '127.0.0.1';
const CONTROL_READS = ['people', 'outcomes', 'prompts', 'keys', 'openapi.json', 'events'];

describe('threat 57: a page that drives the simulator', () => {
  const faces: readonly [string, () => string][] = [
    ['in simulator mode', () => simulator().origin],
    ['of a simulator by itself', () => rehearsal.simulator.origin],
  ];

  it.each(faces)('of another origin reads nothing %s', async (_, originOf) => {
    await using tab = await openTab(browser);
    await tab.page.goto(evilPage('', SAME_NAME));
    for (const path of CONTROL_READS) {
      const address = `${originOf()}/simulator/${path}`;
      expect(await tab.page.evaluate(readBy(`fetch('${address}')`))).not.toContain('read:200');
      expect(await tab.page.evaluate(readBy(`fetch('${address}', {mode:'no-cors'})`))).toBe(
        'read:0:',
      );
      expect(await tab.page.evaluate(streamOf(address))).toBe('error');
    }
    const own = await fetch(`${originOf()}/simulator/people`);
    expect([own.status, (await own.text()).includes('1000001101')]).toEqual([200, true]);
  });

  it.each(faces)('of another origin does nothing %s', async (_, originOf) => {
    const prompt = await waitingPrompt(originOf());
    const address = `${originOf()}/simulator/prompts/${prompt}/decision`;
    const body = '{"decision":"approve"}';
    const ways = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'].flatMap(
      (type) =>
        ['cors', 'no-cors'].map(
          (mode) => `fetch('${address}', {method:'POST', mode:'${mode}',
            headers:{'content-type':'${type}'}, body:'${body}'})`,
        ),
    );
    await using tab = await openTab(browser);
    await tab.page.goto(evilPage('', SAME_NAME));
    for (const way of ways) expect(await tab.page.evaluate(readBy(way))).not.toContain(':200');
    await tab.page.evaluate(`navigator.sendBeacon('${address}', new Blob(['${body}']))`);
    const name = '{&quot;decision&quot;:&quot;approve&quot;,&quot;person&quot;:&quot;';
    await tab.page.goto(
      evilPage(
        `<form method=post enctype="text/plain" action="${address}">
        <input name="${name}" value="amal&quot;}"></form><script>document.forms[0].submit()</script>`,
        SAME_NAME,
      ),
    );
    await tab.page.waitForURL(address);
    expect(await waitingPrompt(originOf(), prompt)).toBe(prompt);
    // A program on this machine may send the request.
    const own = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(own.status).toBe(200);
  });
});

/** What a page's script can read of an answer. */
function readBy(request: string): string {
  return `${request}.then(
    async (answer) => 'read:' + answer.status + ':' + (await answer.text()).slice(0, 40),
    (error) => 'refused:' + error.name,
  )`;
}

function streamOf(address: string): string {
  return `new Promise((resolve) => {
    const stream = new EventSource('${address}');
    stream.onopen = stream.onmessage = () => resolve('open');
    stream.onerror = () => resolve('error');
  }).finally(() => 0)`;
}

/** A waiting prompt, or the one with this id; without any, an attempt is started to get one. */
async function waitingPrompt(origin: string, wanted?: string): Promise<string | undefined> {
  if (wanted === undefined) {
    const client = origin === simulator().origin ? tester : bank;
    await client.startPhone('1000002201');
  }
  const answer = await fetch(`${origin}/simulator/prompts`);
  const { data } = (await answer.json()) as { data: { id: string; kind: string }[] };
  const pushes = data.filter(({ kind }) => kind === 'push').map(({ id }) => id);
  return wanted === undefined ? pushes.at(-1) : pushes.find((id) => id === wanted);
}
