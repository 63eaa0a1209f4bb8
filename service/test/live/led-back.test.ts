import { endedPage, type EndedKind } from '@miftah/pages';
import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/values/time.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { comeBack, launched } from '../support/live/steps.ts';
import type { LiveClient, Started } from '../support/live/live-client.ts';
import { PersonBrowser, type Visit } from '../support/live/person-browser.ts';
import { withoutRequestId } from '../support/without-request-id.ts';

const scene = shareOpened();

/**
 * An attempt launched in a browser. The person does not approve, so a return counts as a refusal.
 */
async function refused(client: LiveClient): Promise<[Started, PersonBrowser]> {
  const started = await client.startRedirect();
  return [started, await launched(started)];
}

async function expired(client: LiveClient): Promise<[Started, PersonBrowser]> {
  const [started, browser] = await refused(client);
  scene().provider.approve(started.attempt_id);
  scene().clock.advance(5 * MINUTE_MS);
  return [started, browser];
}

const ENDS = [
  ['refused', refused, 'access_denied', 'rejected'],
  ['expired', expired, 'expired_token', 'expired'],
] as const;

const whereTo = ({ status, location }: Visit) => [status, location?.href];

const sharedOf = ({ html, headers }: Visit) => withoutRequestId(html, headers.get('x-request-id'));

describe('a sign-in that comes to nothing leads back to the application', () => {
  it.each(ENDS)('%s: with the error, in the query', async (_, begin, error, status) => {
    const { bank, provider } = scene();
    const [started, browser] = await begin(bank);
    const { attempt_id: id } = started;
    const address = `https://bank.example.test/return?attempt_id=${id}&error=${error}`;
    expect(whereTo(await comeBack(scene(), started, browser))).toEqual([303, address]);
    // Also if the page is loaded again, whatever the person does at the provider meanwhile.
    provider.approve(id);
    expect(whereTo(await comeBack(scene(), started, browser))).toEqual([303, address]);
    expect((await bank.status(started)).data).toMatchObject({ status, user: null });
  });

  it.each(ENDS)(
    '%s: in the fragment, for a client that wants it there',
    async (_, begin, error) => {
      const [started, browser] = await begin(scene().clinic);
      const members = `attempt_id=${started.attempt_id}&error=${error}`;
      const address = `https://clinic.example.test/return#${members}`;
      expect(whereTo(await comeBack(scene(), started, browser))).toEqual([303, address]);
    },
  );

  it.each(ENDS)('%s: another browser is shown the one page for all', async (_, begin) => {
    const [started, browser] = await begin(scene().bank);
    await comeBack(scene(), started, browser);
    const other = await comeBack(scene(), started, new PersonBrowser());
    expect(whereTo(other)).toEqual([404, undefined]);
    const unknown = await new PersonBrowser().open(`${scene().origin}/api/v1/callback?state=x`);
    expect(sharedOf(other)).toBe(sharedOf(unknown));
    const inEnglish = await new PersonBrowser().switchLanguage(other);
    expect(inEnglish.html).toContain('<h1>This request cannot be continued</h1>');
  });

  it('refused, but in another browser first: neither is led anywhere', async () => {
    const [started, browser] = await refused(scene().bank);
    expect(whereTo(await comeBack(scene(), started, new PersonBrowser()))).toEqual([
      403,
      undefined,
    ]);
    expect(whereTo(await comeBack(scene(), started, browser))).toEqual([403, undefined]);
  });

  it('an address with a query of its own keeps it', async () => {
    const { bank } = scene();
    const return_address = 'https://bank.example.test/other?a=b';
    const started = await bank.startRedirect({ return_address });
    const back = await comeBack(scene(), started, await launched(started));
    const members = `attempt_id=${started.attempt_id}&error=access_denied`;
    expect(back.location?.href).toBe(`${return_address}&${members}`);
  });
});

/** The page of a refused browser, in the language in which the visited page came. */
function pageFor({ html, headers }: Visit, kind: EndedKind): string {
  const own = '/errors/callback.browser_mismatch?locale=';
  const languageLinks = { ar: `${own}ar`, en: `${own}en` };
  const locale = html.includes('<html lang="ar"') ? 'ar' : 'en';
  const requestId = String(headers.get('x-request-id'));
  return endedPage({ locale, kind, languageLinks, requestId }).html;
}

describe('a sign-in in two browsers', () => {
  it('a second press of the button: the page leads back to the first browser', async () => {
    const started = await scene().bank.startRedirect();
    await launched(started);
    const second = new PersonBrowser();
    const page = await second.press(await second.open(started.authorization_url));
    expect([page.status, page.html]).toEqual([403, pageFor(page, 'browser_mismatch')]);
    const inArabic = await second.switchLanguage(page);
    expect(inArabic.html).toContain('>فُتح تسجيل الدخول في متصفح آخر</');
  });

  it('a return in another browser: the page leads nobody back to a browser that cannot finish', async () => {
    const started = await scene().bank.startRedirect();
    const first = await launched(started);
    scene().provider.approve(started.attempt_id);
    for (const browser of [new PersonBrowser(), first]) {
      const page = await comeBack(scene(), started, browser);
      expect([page.status, page.html]).toEqual([403, pageFor(page, 'spoiled')]);
    }
  });
});
