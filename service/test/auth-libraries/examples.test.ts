import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { shareEvilSite } from '../support/attacks/evil-site.ts';
import { shareExample } from '../support/auth-libraries/example.ts';
import {
  decideInBrowser,
  decideOnPhoneOf,
  launchInBrowser,
} from '../support/client/web-example.ts';

/**
 * The examples of libraries, as somebody has copied them, beside the client as its package has it, in
 * Chromium: `npm run test:clients`. Each does what a person does, and has the same attacks on it.
 */

const AMAL = '1000001101';
const REFUSES = '1900000010';

const EXAMPLES = [
  { name: 'passport', path: '/sign-in', packages: ['express', 'express-session', 'passport'] },
  { name: 'auth-js', path: '/sign-in', packages: ['@auth/core', '@auth/express', 'express'] },
  { name: 'better-auth', path: '/api/auth/miftah', packages: ['better-auth', 'express'] },
  { name: 'react', path: '/sign-in', packages: ['express', 'react', 'react-dom'] },
  { name: 'vue', path: '/sign-in', packages: ['express', 'vue'] },
] as const;

let browser: Browser;
beforeAll(async () => void (browser = await launchChromium()));
afterAll(async () => browser.close());

const open = () => openTab(browser);

describe.each(EXAMPLES)('examples/libraries/$name', ({ name, path, packages }) => {
  const { example, signInOf } = shareExample(name, packages);
  const evil = shareEvilSite();
  async function begin(page: Page): Promise<void> {
    await page.goto(example().origin);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL((url) => url.origin !== example().origin);
  }

  async function beginByPhone(page: Page, nationalId: string): Promise<void> {
    await page.goto(example().origin);
    await page.getByRole('textbox').fill(nationalId);
    await page.getByRole('button', { name: 'Sign in by phone' }).click();
  }

  /** Asked with the cookies of the browser. @returns what the home page says */
  async function home(page: Page): Promise<string> {
    const answer = await page.context().request.get(`${example().origin}/`);
    return answer.text();
  }

  const expectNobody = async (page: Page) => expect(await home(page)).not.toContain('You are');
  const expectAmal = async (page: Page) => expect(await home(page)).toContain('You are Amal');

  /** The person approves, and their browser does not go to the address that it is given. */
  async function unusedReturn(page: Page): Promise<URL> {
    const address = `${example().origin}${path}/return?*`;
    const asked = page.waitForRequest(address);
    await page.route(address, (route) => route.abort());
    await decideInBrowser(page);
    const url = new URL((await asked).url());
    await page.unroute(address);
    return url;
  }

  it('signs in by browser', async () => {
    await using tab = await open();
    await begin(tab.page);
    await decideInBrowser(tab.page);
    await tab.page.getByText('You are Amal').waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('signs in by phone, by the page with the number', async () => {
    await using tab = await open();
    await beginByPhone(tab.page, AMAL);
    const digits = tab.page.locator('miftah-wait [part=digits]');
    await expect.poll(() => digits.textContent()).toMatch(/^\d+$/);
    await decideOnPhoneOf(example(), AMAL);
    await tab.page.getByText('You are Amal').waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('says that the person has refused, by browser and by phone', async () => {
    await using tab = await open();
    await begin(tab.page);
    await decideInBrowser(tab.page, 'refuse');
    await tab.page.getByRole('alert').getByText('You have refused.').waitFor();
    await beginByPhone(tab.page, REFUSES);
    await tab.page.getByRole('alert').getByText('You have refused.').waitFor();
    await beginByPhone(tab.page, '12345');
    await tab.page.getByRole('alert').getByText('This national id is not right').waitFor();
    await expectNobody(tab.page);
  });

  it('ends what the person cancels on the page with the number', async () => {
    await using tab = await open();
    await beginByPhone(tab.page, AMAL);
    await tab.page.getByRole('button', { name: 'Cancel' }).click();
    await tab.page.getByRole('alert').getByText('was cancelled').waitFor();
    await expect(decideOnPhoneOf(example(), AMAL)).rejects.toThrow();
    await expectNobody(tab.page);
  });

  it('drops the return of another browser, which stays that one’s', async () => {
    await using attacker = await open();
    await using victim = await open();
    await begin(attacker.page);
    const given = await unusedReturn(attacker.page);
    await victim.page.goto(given.href);
    await expectNobody(victim.page);
    // Somebody in the middle of a sign-in of their own is signed in by that one only.
    await begin(victim.page);
    await victim.page.goto(given.href);
    await expectNobody(victim.page);
    await attacker.page.goto(given.href);
    await expectAmal(attacker.page);
  });

  it('signs in once by a return, and by a copy of what the browser had before', async () => {
    await using own = await open();
    await using thief = await open();
    await begin(own.page);
    const begun = await own.page.context().cookies();
    const returned = await unusedReturn(own.page);
    await own.page.goto(returned.href);
    await expectAmal(own.page);
    await thief.page.context().addCookies(begun);
    await thief.page.goto(returned.href);
    await expectNobody(thief.page);
    // Nor does an id of a session from before the sign-in open one.
    await thief.page.context().clearCookies();
    await thief.page.context().addCookies(begun);
    await expectNobody(thief.page);
  });

  it.each(['shop', 'other'] as const)(
    'finishes attempts of its own client only: %s',
    async (client) => {
      await using tab = await open();
      const { origin } = example();
      const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' };
      const start = new Request(`${origin}${path}/start`, { method: 'POST', headers });
      const begun = await signInOf(client, path)(start);
      const [line = ''] = begun?.headers.getSetCookie() ?? [];
      const [, cookie = '', value = ''] = /^([^=]+)=([^;]+)/.exec(line) ?? [];
      await tab.page.context().addCookies([{ name: cookie, value, url: origin }]);
      await tab.page.goto(begun?.headers.get('location') ?? '');
      const returned = await unusedReturn(tab.page);
      await tab.page.goto(returned.href);
      await (client === 'shop' ? expectAmal : expectNobody)(tab.page);
    },
  );

  it.each(['127.0.0.1', 'localhost'])('takes no form of another origin: %s', async (host) => {
    await using victim = await open();
    await begin(victim.page);
    await launchInBrowser(victim.page);
    for (const step of ['start', 'finish', 'cancel']) {
      const action = `${example().origin}${path}/${step}`;
      const html = `<form method=post action="${action}"></form><script>document.forms[0].submit()</script>`;
      const answered = victim.page.waitForResponse(action);
      await victim.page.goto(evil().page(host, { html }));
      expect([step, (await answered).status()]).toEqual([step, 403]);
      await victim.page.waitForURL(action);
    }
    await expectNobody(victim.page);
  });
});

describe('what better-auth keeps', () => {
  const { example } = shareExample('better-auth', ['better-auth', 'express']);

  it('is one user of a person, without an e-mail address that anybody could know', async () => {
    await using first = await open();
    await using second = await open();
    const users = [first, second].map(async ({ page }) => {
      await page.goto(example().origin);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await decideInBrowser(page);
      await page.getByText('You are Amal').waitFor();
      const asked = await page.context().request.get(`${example().origin}/api/auth/get-session`);
      return ((await asked.json()) as { user: Record<string, unknown> }).user;
    });
    const [one, other] = [await users[0], await users[1]];
    expect(other).toMatchObject({ id: one?.['id'], email: one?.['email'], emailVerified: false });
    expect(one?.['email']).toMatch(/^[\da-f]{32}@miftah\.invalid$/);
  });
});

describe('the provider of Auth.js', () => {
  const { example } = shareExample('auth-js', ['@auth/core', '@auth/express', 'express']);

  it.each([{}, { ticket: 'guess' }, { ticket: '' }])(
    'signs in nobody by its own form: %j',
    async (form) => {
      await using tab = await open();
      const { origin } = example();
      const asked = tab.page.context().request;
      const { csrfToken } = (await (await asked.get(`${origin}/auth/csrf`)).json()) as {
        csrfToken: string;
      };
      const sent = { maxRedirects: 0, form: { ...form, csrfToken } };
      const answer = await asked.post(`${origin}/auth/callback/miftah`, sent);
      expect(answer.headers()['location']).toContain('error=CredentialsSignin');
      expect(await (await asked.get(`${origin}/`)).text()).not.toContain('You are');
    },
  );
});
