import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { launchChromium } from '../../../scripts/browser.ts';
import { sandboxed, shareEvilSite } from '../support/attacks/evil-site.ts';
import {
  decideInBrowser,
  decideOnPhoneOf,
  launchInBrowser,
  promptFor,
  shareWebExample,
  WEB_MODES,
} from '../support/client/web-example.ts';
import { WebVisitor } from '../support/client/web-visitor.ts';

/**
 * Attacks on `createLogin` of the client, as the application of examples/web uses it, with several
 * browsers: each is a profile of Chromium with cookies of its own.
 */

const AMAL = '1000001101';
const FAISAL = '1000002201';
const KUSUMA = '2000005501';
const GUESS = 'A'.repeat(43);

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

describe.each(atLength(WEB_MODES, WEB_MODES.slice(0, 1)))('createLogin in %s', (mode, open) => {
  const example = shareWebExample(open);
  const visit = () => WebVisitor.open(browser, example());

  it('threat 4: a link that was passed on signs in nobody, whoever comes back', async () => {
    await using attacker = await visit();
    await using victim = await visit();
    const link = await attacker.begin();
    await victim.page.goto(link);
    const returned = await victim.returnOf(() => decideInBrowser(victim.page));
    await victim.isAt('/?ended=dropped');
    expect(await victim.who()).toBe('nobody');
    // The attacker knows the id of the attempt, and not the code.
    const id = returned.searchParams.get('attempt_id') ?? '';
    const tried = [
      '/sign-in/return',
      `/sign-in/return?attempt_id=${id}`,
      `/sign-in/return?attempt_id=${id}&error=access_denied`,
      `/sign-in/return?completion_code=${GUESS}`,
      `/sign-in/return?attempt_id=${id}&completion_code=${GUESS}`,
    ];
    const made: string[] = [];
    for (const address of tried) made.push(await attacker.comeBack(address));
    expect(made).toEqual(['dropped', 'dropped', 'dropped', 'dropped', 'refused 409']);
    expect(await attacker.who()).toBe('nobody');
  });

  it('threat 4: what the attacker has opened at the provider signs in nobody', async () => {
    await using attacker = await visit();
    await using victim = await visit();
    await attacker.begin();
    await launchInBrowser(attacker.page);
    await victim.page.goto(attacker.page.url());
    // In simulator mode it is the page of the link itself, and only the application drops it. In the
    // others the service knows which browser went there, and refuses the victim's.
    const stopped =
      mode === 'simulator mode'
        ? victim.isAt('/?ended=dropped')
        : victim.page.waitForResponse((answer) => answer.status() === 403);
    await decideInBrowser(victim.page);
    await stopped;
    expect(await attacker.comeBack('/sign-in/return')).toBe('dropped');
    expect(await attacker.who()).toBe('nobody');
    expect(await victim.who()).toBe('nobody');
  });

  it('threat 5: a login that was given away is dropped, and stays its owner’s', async () => {
    await using attacker = await visit();
    await using victim = await visit();
    await attacker.begin();
    const given = await attacker.unusedReturn('faisal');
    // The victim has started nothing, is in the middle of a sign-in, and is signed in.
    expect(await victim.comeBack(given)).toBe('dropped');
    const own = await victim.begin();
    expect(await victim.comeBack(given)).toBe('dropped');
    await victim.page.goto(own);
    await decideInBrowser(victim.page);
    await victim.isAt('/');
    expect(await victim.comeBack(given)).toBe('dropped');
    expect(await victim.who()).toMatch(/^Amal/);
    // The address was good all the time.
    expect(await attacker.comeBack(given)).toBe('welcome');
    expect(await attacker.who()).toMatch(/^Faisal/);
  });

  it('threat 5: somebody else’s code does not finish an own sign-in', async () => {
    await using attacker = await visit();
    await using victim = await visit();
    await attacker.begin();
    const given = await attacker.unusedReturn('faisal');
    await victim.begin();
    const own = await victim.unusedReturn('amal');
    const mixed = new URL(own);
    mixed.searchParams.set('completion_code', given.searchParams.get('completion_code') ?? '');
    expect(await victim.comeBack(mixed)).toBe('refused 409');
    expect(await victim.who()).toBe('nobody');
    expect(await victim.comeBack(own)).toBe('welcome');
    expect(await victim.who()).toMatch(/^Amal/);
  });

  it('threat 5: a return is good once, in the profile that has started', async () => {
    await using own = await visit();
    await using other = await visit();
    await own.begin();
    const returned = await own.unusedReturn('amal');
    expect(await other.comeBack(returned)).toBe('dropped');
    expect(await own.comeBack(returned)).toBe('welcome');
    for (const visitor of [own, other]) expect(await visitor.comeBack(returned)).toBe('dropped');
    expect(await own.who()).toMatch(/^Amal/);
    await own.page.getByRole('button').click();
    expect(await own.comeBack(returned)).toBe('dropped');
    expect(await own.who()).toBe('nobody');
    expect(await other.who()).toBe('nobody');
  });
});

describe('the sessions of an application', () => {
  const example = shareWebExample(WEB_MODES[1][1]);
  const visit = () => WebVisitor.open(browser, example());
  const evil = shareEvilSite();

  it('threat 5: each of two tabs signs in the person who has approved there', async () => {
    await using first = await visit();
    const second = await first.page.context().newPage();
    await first.begin();
    await first.begin(second);
    await decideInBrowser(first.page, 'approve', 'faisal');
    await first.isAt('/');
    expect(await first.who()).toMatch(/^Faisal/);
    await decideInBrowser(second, 'approve', 'amal');
    await first.isAt('/', second);
    expect(await first.who()).toMatch(/^Amal/);
  });

  it('threats 4 and 5: a planted session id is worth nothing, and neither is an old one', async () => {
    await using attacker = await visit();
    await using victim = await visit();
    await attacker.beginByPhone(FAISAL);
    const planted = await attacker.sessionCookies();
    expect(planted).toHaveLength(1);
    await victim.page.context().addCookies([...planted]);
    await victim.beginByPhone(AMAL);
    const started = await victim.sessionCookies();
    await decideOnPhoneOf(example(), AMAL);
    await victim.isAt('/');
    expect(await victim.who()).toMatch(/^Amal/);
    for (const cookies of [planted, started]) {
      await attacker.page.context().addCookies([...cookies]);
      expect(await attacker.who()).toBe('nobody');
      await attacker.finish();
      expect(await attacker.who()).toBe('nobody');
    }
  });

  it('threat 5: a sign-in that was begun before a sign-out is finished by nobody', async () => {
    await using visitor = await visit();
    await visitor.beginByPhone(AMAL);
    const begun = await visitor.sessionCookies();
    const { page } = visitor;
    await page.goto(example().origin);
    expect(
      await page.evaluate(async () => (await fetch('/sign-in/out', { method: 'POST' })).url),
    ).toBe(`${example().origin}/`);
    // It is cancelled with the sign-out, which does not wait for it: no prompt is left to approve.
    await expect.poll(() => promptFor(example(), AMAL)).toBeUndefined();
    await page.context().addCookies([...begun]);
    // The page leads on by itself, perhaps before it is loaded.
    await page.goto(`${example().origin}/sign-in/wait`, { waitUntil: 'commit' });
    await visitor.isAt('/?ended=rejected');
    expect(await visitor.who()).toBe('nobody');
  });

  it.each([
    ['another port', '127.0.0.1', String],
    ['another site', 'localhost', String],
    ['a sandbox without an origin', '127.0.0.1', sandboxed],
  ])('threat 5: a form of %s starts, finishes and ends nothing', async (_, host, place) => {
    await using victim = await visit();
    await victim.signIn('amal');
    for (const path of ['/sign-in/start', '/sign-in/finish', '/sign-in/cancel', '/sign-in/out']) {
      const action = example().origin + path;
      const form = `<form method=post action="${action}"><input name=national_id value=${KUSUMA}>
        </form><script>document.forms[0].submit()</script>`;
      const answered = victim.page.waitForResponse(action);
      await victim.page.goto(evil().page(host, { html: place(form) }));
      expect([path, (await answered).status()]).toEqual([path, 403]);
      await victim.page.waitForURL(action);
    }
    expect(await victim.who()).toMatch(/^Amal/);
    await expect(decideOnPhoneOf(example(), KUSUMA)).rejects.toThrow('404');
  });
});
