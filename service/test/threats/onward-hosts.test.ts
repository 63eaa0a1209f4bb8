import { testIds } from '@miftah/pages';
import { describe, expect, it } from 'vitest';
import { atLength, isLong } from '../../../scripts/test-length.ts';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { FIREFOX_HELP, findFirefox } from '../../../scripts/firefox.mjs';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { share, temporaryFolder } from '../support/at-end.ts';
import { startFirefox } from '../support/firefox/firefox.ts';
import type { Started } from '../support/live/live-client.ts';
import { systemClock } from '../../src/platform/runtime.ts';
import { openLive } from '../support/live/live-service.ts';
import { CLIENTS } from '../support/live/rehearsal.ts';
import { json } from '../support/provider/area-b.ts';
import { openOtherHosts, type ProviderWay } from '../support/onward/other-hosts.ts';
import { AUTHORIZE_ORIGIN } from '../support/provider/provider-under-test.ts';

/** A provider and an application that redirect over hosts of which the service knows nothing. */

const WAYS: readonly ProviderWay[] = [
  'redirects over two more hosts',
  'answers at once',
  'posts a form',
];

const found = isLong ? findFirefox() : undefined;
if (isLong && found === undefined) console.error(FIREFOX_HELP);

const scene = share(async (atEnd) => {
  const hosts = await openOtherHosts(atEnd);
  const bank = { ...CLIENTS.bank, return_addresses: [hosts.returnAddress] };
  const settings = {
    PROVIDER_AUTHORIZE_ORIGIN: hosts.authorizeOrigin,
    CLIENTS_FILE: writeClientsFile(temporaryFolder('onward', atEnd), [bank]),
  };
  const opened = await openLive({ settings, machine: systemClock }, atEnd);
  hosts.callback = `${opened.origin.replace('127.0.0.1', 'localhost')}/api/v1/callback`;
  return { ...opened, hosts };
});

/** A tab of either browser. */
interface Tab extends AsyncDisposable {
  open(address: string): Promise<unknown>;
  click(testId: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  back(): Promise<unknown>;
}

const browsers = share(async (atEnd) => {
  const chromium = await launchChromium();
  atEnd(async () => chromium.close());
  const firefox = found === undefined ? null : await startFirefox(found);
  if (firefox !== null) atEnd(() => firefox.end());
  return { chromium, firefox };
});

async function chromiumTab(options = {}): Promise<Tab> {
  const tab = await openTab(browsers().chromium, options);
  const { page } = tab;
  return {
    open: (address) => page.goto(address),
    click: (testId) => page.getByTestId(testId).click(),
    evaluate: (expression) => page.evaluate(expression),
    back: () => page.goBack(),
    [Symbol.asyncDispose]: () => tab[Symbol.asyncDispose](),
  };
}

async function firefoxTab(): Promise<Tab | undefined> {
  const tab = await browsers().firefox?.openTab();
  return (
    tab && {
      open: (address) => tab.open(address),
      click: (testId) => tab.click(`[data-testid="${testId}"]`),
      evaluate: (expression) => tab.evaluate(expression),
      back: () => tab.evaluate('void history.back()'),
      [Symbol.asyncDispose]: () => tab[Symbol.asyncDispose](),
    }
  );
}

const BROWSERS = [
  ['Chromium', chromiumTab],
  ['Firefox', firefoxTab],
] as const;

async function startAt(way: ProviderWay): Promise<Started> {
  const { provider, bank, hosts } = scene();
  hosts.way = way;
  provider.answer('session', (call, response) => {
    const session = provider.openSession(call);
    const url = session.url.replace(AUTHORIZE_ORIGIN, hosts.authorizeOrigin);
    json({ ...session, url })(call, response);
  });
  const started = await bank.startRedirect();
  provider.approve(started.attempt_id);
  return started;
}

/** The address of the shown page, once it is loaded. */
const loaded = (tab: Tab) =>
  tab.evaluate("document.readyState === 'complete' ? location.href : ''").catch(String);

async function arrival(tab: Tab): Promise<URLSearchParams> {
  await expect.poll(() => loaded(tab)).toContain(scene().hosts.home);
  return new URL(String(await loaded(tab))).searchParams;
}

/**
 * Waits for the loaded page: a form that is sent before that has no entry of its own in Firefox's
 * history, so that one could not come back from where it leads.
 */
async function goBack(tab: Tab, address: string): Promise<void> {
  await tab.back().catch(() => undefined);
  await expect.poll(() => loaded(tab)).toBe(address);
}

describe.each(atLength(BROWSERS, BROWSERS.slice(0, 1)))('threat 103: in %s', (_, openOne) => {
  it.each(WAYS)('a provider that %s brings the person to the application', async (way) => {
    const started = await startAt(way);
    await using tab = await openOne();
    if (tab === undefined) return;
    await tab.open(started.authorization_url);
    await tab.click(testIds.launch);
    const code = (await arrival(tab)).get('completion_code') ?? '';
    const issued = await scene().bank.redeem(started, { completion_code: code });
    expect(issued.status).toBe(200);
    expect(scene().hosts.referrers).toEqual([]);
  });

  it('Back leads to the launch page, and its button to the application again', async () => {
    const started = await startAt('redirects over two more hosts');
    await using tab = await openOne();
    if (tab === undefined) return;
    await tab.open(started.authorization_url);
    await tab.click(testIds.launch);
    const first = (await arrival(tab)).get('completion_code') ?? '';
    await goBack(tab, started.authorization_url);
    await tab.click(testIds.launch);
    const second = (await arrival(tab)).get('completion_code') ?? '';
    expect(second).not.toBe(first);
    const issued = await scene().bank.redeem(started, { completion_code: second });
    expect(issued.status).toBe(200);
    await goBack(tab, started.authorization_url);
  });
});

describe('threat 103: in a browser without scripts', () => {
  it('a provider that redirects over two more hosts brings the person to the application', async () => {
    const started = await startAt('redirects over two more hosts');
    await using tab = await openTab(browsers().chromium, { javaScriptEnabled: false });
    await tab.page.goto(started.authorization_url);
    await tab.page.getByTestId(testIds.launch).click();
    await tab.page.waitForURL(`${scene().hosts.home}?**`);
    expect(new URL(tab.page.url()).searchParams.get('completion_code')).toMatch(/^[\w-]{43}$/);
  });
});
