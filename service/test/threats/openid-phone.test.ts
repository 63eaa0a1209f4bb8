import type { ResponseBodyError } from 'openid-client';
import { describe, expect, it } from 'vitest';
import { share } from '../support/at-end.ts';
import { decideOnPhoneOf } from '../support/client/web-example.ts';
import type { PersonBrowser, Visit } from '../support/live/person-browser.ts';
import {
  ask,
  beginIn,
  exchange,
  OPENID_CLIENTS,
  openidBrowser,
  openStrictOpenid,
  wayBack,
  type Asked,
} from '../support/openid/openid-scene.ts';

/** Sign-ins by OpenID on a phone that the application names, in strict mode, and attacks on them. */

const AMAL = '1000001101';
const scene = share((atEnd) => openStrictOpenid(atEnd, Object.values(OPENID_CLIENTS)));

interface Prompt {
  readonly national_id: string | null;
}

async function prompts(): Promise<readonly Prompt[]> {
  const answer = await fetch(`${scene().origin}/simulator/prompts`);
  const { data } = (await answer.json()) as { data: readonly Prompt[] };
  return data.filter(({ national_id: number }) => number === AMAL);
}

async function decide(decision: 'approve' | 'refuse'): Promise<void> {
  expect(await prompts()).toHaveLength(1);
  await decideOnPhoneOf({ provider: scene().origin }, AMAL, decision);
}

const askForPhone = (hint = AMAL) =>
  ask(scene(), { id: 'portal', isPushed: true, parameters: { login_hint: hint } });

const numberOn = ({ html }: Visit) =>
  /data-testid="push-number"[^>]*>.*?>(\d{2,6})</.exec(html)?.[1];

/** Up to the page with the number. */
async function pushed(browser: PersonBrowser, asked: Asked): Promise<Visit> {
  return browser.follow(await browser.press(await beginIn(browser, asked)));
}

/** The page leads on when the service has heard of the decision. */
async function ledOn(browser: PersonBrowser, { url }: Visit): Promise<URL> {
  let location: URL | null = null;
  await expect.poll(async () => ({ location } = await browser.open(url)).location).not.toBeNull();
  return location ?? url;
}

describe('threat 127: a sign-in on a phone that the application names', () => {
  it('is asked for by the press of a button, shows the number, and gives the person', async () => {
    const asked = await askForPhone();
    const browser = openidBrowser();
    const page = await beginIn(browser, asked);
    expect(page.html).not.toContain(AMAL);
    expect(await prompts()).toEqual([]);
    const shown = await browser.follow(await browser.press(page));
    expect(numberOn(shown)).toMatch(/^\d+$/);
    const wait = fetch(`${shown.url.origin}${shown.url.pathname}/push`, {
      headers: { cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; ') },
    });
    await decide('approve');
    expect(await (await wait).json()).toEqual({ isOpen: false });
    const back = (await wayBack(browser, asked, shown.url)).location ?? asked.url;
    const tokens = await exchange(asked, back);
    const told = await fetch(`${scene().origin}/openid/userinfo`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(told.status).toBe(200);
  });

  it('that is refused there ends with access_denied', async () => {
    const asked = await askForPhone();
    const browser = openidBrowser();
    const shown = await pushed(browser, asked);
    await decide('refuse');
    const { location } = await wayBack(browser, asked, await ledOn(browser, shown));
    expect(location?.searchParams.get('error')).toBe('access_denied');
  });

  it('pressed for three times at once sends one push', async () => {
    const asked = await askForPhone();
    const browser = openidBrowser();
    const page = await beginIn(browser, asked);
    const visits = await Promise.all([1, 2, 3].map(() => browser.press(page)));
    expect(visits.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(await prompts()).toHaveLength(1);
    expect(numberOn(await browser.open(page.url))).toMatch(/^\d+$/);
    await decide('refuse');
  });

  it('pressed again after it was approved sends no other push, and goes on', async () => {
    const asked = await askForPhone();
    const browser = openidBrowser();
    const page = await beginIn(browser, asked);
    const shown = await browser.follow(await browser.press(page));
    await decide('approve');
    await ledOn(browser, shown);
    const { location } = await wayBack(
      browser,
      asked,
      (await browser.press(page)).location ?? page.url,
    );
    expect([await prompts(), location?.searchParams.get('error')]).toEqual([[], null]);
    expect(location?.searchParams.get('code')).toBeTruthy();
  });

  it('shows its number to no other browser, and gives it no code', async () => {
    const asked = await askForPhone();
    const [browser, other] = [openidBrowser(), openidBrowser()];
    const page = await beginIn(browser, asked);
    // What a sibling of our host can set, or read: not the cookie of the press.
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    const early = await beginIn(other, { ...asked, url: page.url });
    const shown = await browser.follow(await browser.press(page));
    const looked = await other.open(shown.url);
    expect([looked.status, numberOn(looked)]).toEqual([200, undefined]);
    expect((await other.press(early)).status).toBe(403);
    expect((await other.open(`${shown.url.origin}${shown.url.pathname}/push`)).status).toBe(404);
    await decide('approve');
    const held = await ledOn(browser, shown);
    expect((await other.open(held)).location).toBeNull();
    const { location } = await wayBack(browser, asked, held);
    expect(location?.searchParams.get('code')).toBeTruthy();
  });

  it('is not to be redeemed by the attempt API with what the browser has', async () => {
    const asked = await askForPhone();
    const browser = openidBrowser();
    await pushed(browser, asked);
    const [name = '', secret = ''] =
      [...browser.cookies].find(([one]) => one.startsWith('__Host-miftah_')) ?? [];
    const attemptId = name.slice('__Host-miftah_'.length);
    const status = await fetch(`${scene().origin}/api/v1/status/${attemptId}`, {
      headers: { 'x-provider-attempt-token': secret },
    });
    expect([attemptId.length, secret.length, status.status]).toEqual([36, 43, 404]);
    await decide('refuse');
  });

  it.each([
    ['in an address', { id: 'portal', hint: AMAL, isPushed: false }],
    ['as people type it, in an address', { id: 'reader', hint: '1000-001 101', isPushed: false }],
    ['of a client without a secret', { id: 'reader', hint: AMAL, isPushed: true }],
    ['that is no national id', { id: 'portal', hint: '123456789', isPushed: true }],
  ] as const)('is refused for a hint %s', async (_, { id, hint, isPushed }) => {
    const asking = ask(scene(), { id, isPushed, parameters: { login_hint: hint } });
    if (isPushed) {
      const refused = await asking.then(
        () => null,
        (error: unknown) => error as ResponseBodyError,
      );
      expect(refused?.error).toBe('invalid_request');
      return;
    }
    const asked = await asking;
    const { location } = await openidBrowser().open(asked.url);
    expect(location?.searchParams.get('error')).toBe('invalid_request');
    expect(location?.href).not.toContain(hint);
  });

  it('is none for a hint that is no number', async () => {
    const asked = await ask(scene(), { id: 'portal', parameters: { login_hint: 'a@b.example' } });
    const page = await beginIn(openidBrowser(), asked);
    expect(page.status).toBe(200);
  });
});
