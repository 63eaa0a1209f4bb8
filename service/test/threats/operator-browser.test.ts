import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { launchChromium, openTab } from '../../../scripts/browser.ts';
import { shareEvilSite } from '../support/attacks/evil-site.ts';
import {
  addPerson,
  makeLink,
  shareOperatorScene,
  sharePeopleScene,
  tokenIn,
} from '../support/operator/operator-scene.ts';
import { runMiftah } from '../support/programs/operator.ts';

/** What other people's pages and names do in the browser of an operator. */

const scene = shareOperatorScene();
const people = sharePeopleScene();
const evil = shareEvilSite();
let browser: Browser;

beforeAll(async () => void (browser = await launchChromium()));
afterAll(() => browser.close());

/** A tab in a session. */
async function openSession(role: 'support' | 'admin') {
  const tab = await openTab(browser, { locale: 'en' });
  await tab.page.goto(await makeLink(scene(), role));
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.getByRole('heading', { name: 'Search' }).waitFor();
  return tab;
}

const isIn = async (page: Page) => {
  await page.goto(`${scene().pages}/operator`);
  return (await page.getByRole('heading', { level: 1 }).textContent()) === 'Search';
};

const searches = async () => {
  const { out } = await runMiftah(['audit', '--action', 'user.searched'], scene().settings);
  return out.split('\n').length;
};

describe('threat 134: another site acts with the session of an operator, in Chromium', () => {
  // Browsers call another port of the same host the same site.
  it.each(atLength(['127.0.0.1', 'localhost'], ['127.0.0.1']))(
    'a page of %s posts its own forms',
    async (host) => {
      const { pages } = scene();
      await using tab = await openSession('support');
      const formToken = tokenIn({ html: await tab.page.content() } as Parameters<
        typeof tokenIn
      >[0]);
      const before = await searches();
      const post = (path: string, fields: string) =>
        evil().page(host, {
          html: `<form method=post action="${pages}${path}">${fields}</form>
          <script>document.forms[0].submit()</script>`,
        });
      const token = `<input name=form_token value="${formToken}">`;
      const number = `<input name=national_id value=1099000417>`;
      for (const [path, fields] of [
        ['/operator/number', number],
        // Even one that knows the token of the session.
        ['/operator/number', token + number],
        ['/operator/sign-out', token],
      ] as const) {
        await tab.page.goto(post(path, fields));
        await tab.page.waitForURL((url) => url.origin === pages);
        expect(await tab.page.getByTestId('operator-fault').count(), path).toBe(1);
      }
      expect(await searches()).toBe(before);
      expect(await isIn(tab.page)).toBe(true);
    },
  );

  it('a page of another site reads nothing and leads into no session', async () => {
    const { pages } = scene();
    await using tab = await openSession('support');
    await tab.page.goto(evil().page('localhost', { html: `<a href="${pages}/operator">go</a>` }));
    const read = await tab.page.evaluate(
      `fetch('${pages}/operator', { credentials: 'include' }).then((a) => a.text(), (e) => e.name)`,
    );
    expect(read).toBe('TypeError');
    await tab.page.getByRole('link', { name: 'go' }).click();
    await tab.page.getByRole('heading', { name: 'There is no session' }).waitFor();
  });
});

describe('threat 137: a page of an operator is framed and clicked through', () => {
  it('no page of the listener is shown in a frame', async () => {
    const { pages } = scene();
    const link = await makeLink(scene(), 'admin');
    await using tab = await openSession('admin');
    for (const address of [link, `${pages}/operator`, `${pages}/operator/doctor`]) {
      await tab.page.goto(evil().page('127.0.0.1', { html: `<iframe src="${address}"></iframe>` }));
      // Their load event has come after that of the frame.
      const [, frame] = tab.page.frames();
      expect(frame?.url(), address).toBe('chrome-error://chromewebdata/');
    }
  });
});

describe('threat 138: a name is markup', () => {
  it('names of people and devices are text on every page', async () => {
    const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const name = '"><b id=planted>Noura</b>';
    const person = { nin: '1099000425', sub: '1099000425', englishName: name, arabicName: name };
    const { userId, attemptId } = await addPerson(scene(), person, markup);
    await using tab = await openSession('support');
    for (const path of [`users/${userId}`, `attempts/${attemptId}`, 'attempts', 'audit']) {
      await tab.page.goto(`${scene().pages}/operator/${path}`);
      expect(await tab.page.locator('#planted, main img, main script').count(), path).toBe(0);
      expect(await tab.page.title(), path).toMatch(/· Miftah$/);
    }
    await tab.page.goto(`${scene().pages}/operator/users/${userId}`);
    expect(await tab.page.locator('table').first().textContent()).toContain(markup);
    expect(await tab.page.locator('.facts').textContent()).toContain(name);
    expect(tab.complaints).toEqual([]);
  });

  it('what is typed into the filters comes back as text', async () => {
    await using tab = await openSession('support');
    const typed = `"><script>document.title=1</script><b id=planted>`;
    for (const path of ['attempts', 'audit']) {
      const query = new URLSearchParams({ client: typed, action: typed, until: typed });
      await tab.page.goto(`${scene().pages}/operator/${path}?${query.toString()}`);
      expect(await tab.page.locator('[name=client]').inputValue(), path).toBe(typed);
      expect(await tab.page.locator('#planted').count(), path).toBe(0);
      expect(await tab.page.title(), path).toMatch(/· Miftah$/);
    }
  });
});

describe('a sign-in at the provider of the operators, in Chromium', () => {
  it('ends in a session, although another site has led back', async () => {
    const { pages, issuer } = people();
    const levels = [1, 2, 3, 4].map((level) => [`${issuer}/acr/${level}`, 'support'] as const);
    const groups: Record<string, string> = Object.fromEntries(levels);
    people().give({ claim: 'acr', groups });
    await using tab = await openTab(browser, { locale: 'en' });
    const { page } = tab;
    await page.goto(`${pages}/operator`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByTestId('launch').click();
    await page.getByTestId('approve').click();
    await page.getByRole('heading', { name: 'Search' }).waitFor();
    expect(page.url()).toBe(`${pages}/operator?locale=en`);
    await page.reload();
    expect(await page.locator('.badge').textContent()).toBe('Role: support');
  });
});
