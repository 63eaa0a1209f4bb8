import { testIds } from '@miftah/pages';
import { describe, expect, it } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { writeClientsFile, type ClientEntry } from '../../../scripts/rehearsal.ts';
import { share, temporaryFolder } from '../support/at-end.ts';
import type { Started } from '../support/live/live-client.ts';
import { openLive } from '../support/live/live-service.ts';
import { CLIENTS } from '../support/live/rehearsal.ts';
import { codeOf, comeBack, launched, returnUrl, signedIn } from '../support/live/steps.ts';
import { refusedStart } from '../support/service/listening-service.ts';
import { postSignIn, startedOf } from '../support/service/login.ts';
import { openTestService } from '../support/service/test-service.ts';

/** Applications on a device: addresses with a scheme of their own, and ports of the device. */

const SCHEME = 'com.example.wallet:/signed-in';
const LOOPBACK = 'http://127.0.0.1/signed-in?from=miftah';
const LOOPBACK_6 = 'http://[::1]:8080/signed-in';

const WALLET: ClientEntry = {
  id: 'wallet',
  name: { ar: 'محفظة المثال', en: 'Example Wallet' },
  type: 'public',
  return_addresses: [SCHEME, LOOPBACK, LOOPBACK_6, 'http://localhost/signed-in'],
  keys: [],
  keyless: ['oidc'],
};

const clientsFile = (name: string, ...clients: readonly ClientEntry[]) =>
  writeClientsFile(temporaryFolder(name), clients);

const scene = share(async (atEnd) => {
  const folder = temporaryFolder('native', atEnd);
  const settings = { CLIENTS_FILE: writeClientsFile(folder, [WALLET, CLIENTS.bank]) };
  return openLive({ settings }, atEnd);
});

const LONG = 'a'.repeat(64);

/** None of them may be in the clients file, nor be named by a start. */
const HOSTILE = [
  'javascript:alert(1)',
  'javascript:/signed-in',
  'javascript://signed-in/%0aalert(1)',
  'JavaScript:/signed-in',
  'java\tscript:/signed-in',
  'vbscript:/signed-in',
  'data:text/html,x',
  'data:/signed-in',
  'file:///signed-in',
  'filesystem:https://wallet.example.test/signed-in',
  'blob:https://wallet.example.test/signed-in',
  'about:/signed-in',
  'view-source:https://wallet.example.test/',
  'intent:/signed-in',
  'intent://signed-in#Intent;scheme=com.example.wallet;end',
  'android-app://com.example.wallet/https/signed-in',
  'ms-appinstaller:/signed-in',
  'mailto:wallet@example.test',
  'tel:/signed-in',
  'sms:/signed-in',
  'ftp://wallet.example.test/signed-in',
  'ws://wallet.example.test/signed-in',
  'chrome-extension://wallet/signed-in',
  'wallet:/signed-in',
  'com-example-wallet:/signed-in',
  'com.example:javascript',
  'com.example:signed-in',
  'com.example.wallet:',
  'com.example.wallet',
  'Com.Example.Wallet:/signed-in',
  'COM.EXAMPLE.WALLET:/signed-in',
  'com.example.wallet:/Signed in',
  'com.example.wallet:/signed-in#fragment',
  'com.example.wallet:/signed-in\n',
  'com.example.wallet:/signed-in\u0000',
  'com.example\u0000.wallet:/signed-in',
  '\u0001com.example.wallet:/signed-in',
  ' com.example.wallet:/signed-in',
  'com.example.wallet:/a/../signed-in',
  'com.example.wallet:\\\\signed-in',
  'com.example.wallet:/signed-in"><script>',
  'com.example.wallet:/\u202esigned-in',
  'com.example.wallet://user@signed-in/',
  'com.example.wallet://user:password@signed-in/',
  'com.exämple.wallet:/signed-in',
  'com..wallet:/signed-in',
  '.com.example:/signed-in',
  'com.:/signed-in',
  '1com.example:/signed-in',
  'com.example_wallet:/signed-in',
  `${LONG}.example:/signed-in`,
  `com.${LONG}:/signed-in`,
  `${'a.'.repeat(300)}a:/signed-in`,
  `com.example.wallet:/${'a'.repeat(2048)}`,
  'http://127.1/signed-in',
  'http://0x7f.1/signed-in',
  'http://0177.0.0.1/signed-in',
  'http://2130706433/signed-in',
  'http://127.0.0.2/signed-in',
  'http://0.0.0.0/signed-in',
  'http://[::]/signed-in',
  'http://[0:0:0:0:0:0:0:1]/signed-in',
  'http://[::ffff:127.0.0.1]/signed-in',
  'http://[::1%25lo]/signed-in',
  'http://127.0.0.1.evil.example.test/signed-in',
  'http://user@127.0.0.1/signed-in',
  'http://wallet.example.test/signed-in',
] as const;

/** Twenty starts a minute are let in. */
const BETWEEN_STARTS_MS = 3_000;

function start(return_address: string, client = scene().anybody) {
  scene().clock.advance(BETWEEN_STARTS_MS);
  return client.start({ return_address });
}

function startAt(return_address: string) {
  scene().clock.advance(BETWEEN_STARTS_MS);
  return scene().anybody.startRedirect({ return_address });
}

async function returned(started: Started) {
  const browser = await launched(started);
  scene().provider.approve(started.attempt_id);
  return { browser, visit: await comeBack(scene(), started, browser) };
}

describe('threat 112: an address that would run or read something', () => {
  it('in the clients file keeps the service from starting, and each is named by its client', async () => {
    const listed = HOSTILE.map((address, index): ClientEntry => {
      const own = { id: `wallet-${index}`, keys: [`mfk_wallet_${index}_0123456789`], keyless: [] };
      return { ...WALLET, ...own, return_addresses: [address] };
    });
    const { said: told } = await refusedStart({ CLIENTS_FILE: clientsFile('hostile', ...listed) });
    const unnamed = listed.filter(
      ({ id }) => !told.includes(`(${id}): "return_addresses[0]" must be`),
    );
    expect(unnamed).toEqual([]);
    expect(told).not.toMatch(/script|evil|password/);
  });

  it('in a start is refused, and nothing of it is in the answer', async () => {
    const { provider } = scene();
    const before = provider.received('session').length;
    const taken: string[] = [];
    for (const address of HOSTILE) {
      const { status, code, text } = await start(address);
      if (status !== 422 || code !== 'validation.failed') taken.push(address);
      expect(text).not.toMatch(/wallet|script|evil/);
    }
    expect(taken).toEqual([]);
    expect(provider.received('session').length).toBe(before);
  });

  it.each([
    'com.example.wallet:/signed-in/',
    'com.example.wallet:/signed-in?a=b',
    'com.example.wallet://signed-in',
    'com.example.wallet:/SIGNED-IN',
    'com.example.wallet.evil:/signed-in',
    'com.example.other:/signed-in',
  ])('that is well-formed and not the client’s is refused: %s', async (address) => {
    expect((await start(address)).status).toBe(422);
  });

  it('is for no client with a back end, in the file and in a start', async () => {
    const bank = { ...CLIENTS.bank, return_addresses: [SCHEME] };
    const file = clientsFile('confidential', bank);
    const { said: told } = await refusedStart({ CLIENTS_FILE: file });
    expect(told).toContain('only a public client has a scheme of its own');
    expect((await start(SCHEME, scene().bank)).status).toBe(422);
  });
});

describe('threat 112: the return to an application', () => {
  it('is a page with one link, which leaves no trace of the code elsewhere', async () => {
    const { visit } = await returned(await startAt(SCHEME));
    const { status, headers, html, location } = visit;
    expect([status, headers.get('refresh')]).toEqual([200, null]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain('form-action com.example.wallet:;');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src|https?:/);
    const links = [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href);
    expect(links).toEqual([location?.href.replaceAll('&', '&amp;')]);
    expect(location?.href).toMatch(
      /^com\.example\.wallet:\/signed-in\?attempt_id=[0-9a-f-]{36}&completion_code=[\w-]{43}$/,
    );
    expect(html).not.toMatch(/<script|<form|http-equiv="refresh"|https?:\/\//);
  });

  it('brings a refusal and an end by time there too, and no code', async () => {
    const started = await startAt(SCHEME);
    const browser = await launched(started);
    const refused = await comeBack(scene(), started, browser);
    expect([refused.status, refused.location?.protocol]).toEqual([200, 'com.example.wallet:']);
    expect(refused.location?.searchParams.get('error')).toBe('access_denied');
    const ended = await browser.open(started.authorization_url);
    expect(ended.html).toContain('href="com.example.wallet:/signed-in?attempt_id=');
    expect(refused.html + ended.html).not.toContain('completion_code');
  });

  it('gives one who took the scheme a code that is worth nothing alone', async () => {
    const { anybody } = scene();
    const started = await startAt(SCHEME);
    const completion_code = await signedIn(scene(), started);
    const squatter = await startAt(SCHEME);
    for (const attempt_token of [squatter.attempt_token, completion_code, 'A'.repeat(64)]) {
      const refused = await anybody.redeem({ ...started, attempt_token }, { completion_code });
      expect(refused.status, refused.text).toBeOneOf([404, 422]);
    }
    const crossed = await anybody.redeem(squatter, { completion_code });
    expect([crossed.status, crossed.code]).toEqual([409, 'attempt.pending']);
    expect((await anybody.redeem(started)).code).toBe('attempt.completion_required');
    expect((await anybody.redeem(started, { completion_code })).status).toBe(200);
  });
});

describe('threat 112: a port of the device', () => {
  it.each([
    ['http://127.0.0.1:51004/signed-in?from=miftah', 'http://127.0.0.1:51004'],
    ['http://[::1]:51004/signed-in', 'http://[::1]:51004'],
    ['http://[::1]/signed-in', 'http://[::1]'],
  ])('of its own may be named: %s', async (address, origin) => {
    const { visit } = await returned(await startAt(address));
    expect([visit.status, visit.location?.origin]).toEqual([303, origin]);
    expect(codeOf(visit)).toMatch(/^[\w-]{43}$/);
  });

  it.each([
    'http://localhost:51004/signed-in',
    'http://127.0.0.1:51004/signed-in',
    'http://127.0.0.1:51004/other?from=miftah',
    'http://127.0.0.1:0/signed-in?from=miftah',
    'http://127.0.0.1:65536/signed-in?from=miftah',
    'https://127.0.0.1:51004/signed-in?from=miftah',
    'http://127.1:51004/signed-in?from=miftah',
    'http://0x7f.1:51004/signed-in?from=miftah',
    'http://127.0.0.1:51004@evil.example.test/signed-in?from=miftah',
    'http://evil.example.test:51004/signed-in?from=miftah',
    'http://[0:0:0:0:0:0:0:1]:51004/signed-in',
    'http://[::ffff:127.0.0.1]:51004/signed-in',
    'com.example.wallet:51004/signed-in',
  ])('is all that may differ, at an IP literal of the device: %s', async (address) => {
    expect((await start(address)).status).toBe(422);
  });

  it('is fixed for a client with a back end', async () => {
    const service = await openTestService({
      settings: {
        CLIENTS_FILE: clientsFile('fixed', { ...CLIENTS.bank, return_addresses: [LOOPBACK_6] }),
      },
    });
    const named = (return_address: string) =>
      service.post('/start', { locale: 'en', return_address });
    expect((await named(LOOPBACK_6)).statusCode).toBe(200);
    expect((await named(LOOPBACK_6.replace('8080', '8081'))).statusCode).toBe(422);
  });
});

describe('threat 112: an address that was taken out of the clients file', () => {
  it.each([SCHEME, 'http://[::1]:51004/signed-in'])('gets no code: %s', async (address) => {
    const folder = temporaryFolder('unlisted');
    const settings = { CLIENTS_FILE: writeClientsFile(folder, [WALLET]) };
    const service = await openTestService({ settings });
    const body = { locale: 'en', return_address: address };
    const { attempt_id: state } = startedOf(await service.post('/start', body));
    writeClientsFile(folder, [{ ...WALLET, return_addresses: [LOOPBACK] }]);
    await service.reload();
    const answer = await postSignIn(service, { state, decision: 'approve' });
    expect([answer.statusCode, answer.headers.location]).toEqual([404, undefined]);
    expect(answer.payload).not.toContain('completion_code');
  });
});

describe('threat 112: in Chromium', () => {
  it('the application is opened by a press of the person, and by nothing else', async () => {
    const started = await startAt(SCHEME);
    scene().provider.approve(started.attempt_id);
    const chromium = await launchChromium();
    await using tab = await openTab(chromium);
    const { page } = tab;
    const devTools = await page.context().newCDPSession(page);
    const asked: string[] = [];
    devTools.on('Page.frameRequestedNavigation', ({ url }) => void asked.push(url));
    await devTools.send('Page.enable');
    // The provider's host does not exist, so the browser goes on to the return itself.
    await page.route('https://authorize.example.test/**', (route) => route.fulfill({ body: '' }));
    await page.goto(started.authorization_url);
    await page.getByTestId(testIds.launch).click();
    await page.waitForURL('https://authorize.example.test/**');
    asked.length = 0;
    await page.goto(returnUrl(scene(), started).replace('127.0.0.1', 'localhost'));
    const link = page.getByTestId(testIds.onward);
    const address = (await link.getAttribute('href')) ?? '';
    expect(address).toMatch(/^com\.example\.wallet:\/signed-in\?/);
    expect(asked).toEqual([]);
    await link.click();
    await expect.poll(() => asked).toEqual([address]);
    const completion_code = new URL(address).searchParams.get('completion_code');
    expect((await scene().anybody.redeem(started, { completion_code })).status).toBe(200);
    expect(tab.complaints).toEqual([]);
  });
});
