import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/values/time.ts';
import { PersonBrowser, type Visit } from '../support/live/person-browser.ts';
import type { Started } from '../support/live/live-client.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { codeOf, comeBack, exchangesOf, returnUrl } from '../support/live/steps.ts';
import { withoutRequestId } from '../support/without-request-id.ts';

/** The launch page and its button, after the browser has launched. */

const scene = shareOpened();

interface Launched {
  readonly started: Started;
  readonly person: PersonBrowser;
  /** The launch page as it was before the press. */
  readonly page: Visit;
}

async function launch(): Promise<Launched> {
  const started = await scene().bank.startRedirect();
  const person = new PersonBrowser();
  const page = await person.open(started.authorization_url);
  await person.press(page);
  return { started, person, page };
}

async function returned(): Promise<Launched & { readonly code: string }> {
  const launched = await launch();
  scene().provider.approve(launched.started.attempt_id);
  const code = codeOf(await comeBack(scene(), launched.started, launched.person));
  return { ...launched, code };
}

const whereTo = ({ status, location }: Visit) => [status, location?.origin];
const BANK = 'https://bank.example.test';

const sharedOf = ({ html, headers }: Visit) => withoutRequestId(html, headers.get('x-request-id'));

describe('threat 103: a second press', () => {
  it('while the person is at the provider leads there again, by the page loaded again too', async () => {
    const { started, person, page } = await launch();
    const { state } = scene().provider.session(started.attempt_id);
    const again = await person.open(started.authorization_url);
    for (const press of [await person.press(page), await person.press(again)]) {
      expect([press.status, press.location?.searchParams.get('state')]).toEqual([200, state]);
    }
  });

  it('after the return leads to the application, with a code in the place of the first', async () => {
    const { started, person, page, code } = await returned();
    const again = await person.press(page);
    expect(whereTo(again)).toEqual([200, BANK]);
    const { bank } = scene();
    expect((await bank.redeem(started, { completion_code: code })).status).toBe(409);
    const issued = await bank.redeem(started, { completion_code: codeOf(again) });
    expect(issued.status).toBe(200);
  });

  it('the page alone, loaded again after the return, changes nothing', async () => {
    const { started, person, code } = await returned();
    const again = await person.open(started.authorization_url);
    expect([again.status, again.html.includes('/callback/launch')]).toEqual([200, true]);
    const issued = await scene().bank.redeem(started, { completion_code: code });
    expect(issued.status).toBe(200);
  });

  it('a HEAD, as checkers of links send it, neither uses the result up nor replaces the code', async () => {
    const { started, person } = await launch();
    const address = returnUrl(scene(), started);
    const cookie = [...person.cookies].map((pair) => pair.join('=')).join('; ');
    const look = async () =>
      (await fetch(address, { method: 'HEAD', headers: { cookie }, redirect: 'manual' })).status;
    scene().provider.approve(started.attempt_id);
    expect([await look(), exchangesOf(scene(), started)]).toEqual([405, 0]);
    const completion_code = codeOf(await person.open(address));
    expect(await look()).toBe(405);
    expect((await scene().bank.redeem(started, { completion_code })).status).toBe(200);
  });

  it('after the exchange says that the sign-in is complete', async () => {
    const { started, person, page, code } = await returned();
    await scene().bank.redeem(started, { completion_code: code });
    const visits = [await person.press(page), await person.open(started.authorization_url)];
    for (const visit of visits) {
      const { status, location, html } = visit;
      expect([status, location]).toEqual([200, null]);
      expect(html).toContain('<h1>The sign-in is complete</h1>');
      const inArabic = await person.switchLanguage(visit);
      expect([inArabic.status, inArabic.html]).toEqual([200, expect.stringContaining('اكتمل')]);
    }
  });

  it.each([
    ['refused', 'access_denied', 409],
    ['expired', 'expired_token', 410],
  ])('of a sign-in that has %s leads back with the error', async (how, error, status) => {
    const { started, person, page } = await launch();
    if (how === 'refused') await comeBack(scene(), started, person);
    else scene().clock.advance(5 * MINUTE_MS);
    const press = await person.press(page);
    expect(whereTo(press)).toEqual([200, BANK]);
    expect(press.location?.searchParams.get('error')).toBe(error);
    const look = await person.open(started.authorization_url);
    expect([look.status, look.location]).toEqual([status, null]);
    const inArabic = await person.switchLanguage(look);
    expect([inArabic.status, inArabic.html]).toEqual([
      status,
      expect.stringContaining('lang="ar"'),
    ]);
    expect(look.html).toContain(`href="${press.location?.href.replaceAll('&', '&amp;')}"`);
  });

  it('in another browser finds nothing, whatever has become of the sign-in', async () => {
    const { started, page, code } = await returned();
    const stranger = new PersonBrowser();
    const unknown = await stranger.open(`${scene().origin}/api/v1/callback?state=x&locale=en`);
    const look = () => stranger.open(`${started.authorization_url}&locale=en`);
    for (const end of [
      () => undefined,
      () => scene().bank.redeem(started, { completion_code: code }),
    ]) {
      await end();
      // It even has the secret of the form, but not the cookie.
      const press = await stranger.press(page);
      expect([press.status, press.location, press.headers.get('set-cookie')]).toEqual([
        404,
        null,
        null,
      ]);
      const seen = await look();
      expect([seen.status, sharedOf(seen)]).toEqual([404, sharedOf(unknown)]);
    }
  });

  it('of a sign-in that was spoiled leads nobody anywhere', async () => {
    const { started, person, page } = await returned();
    await comeBack(scene(), started, new PersonBrowser());
    const visits = [await person.press(page), await person.open(started.authorization_url)];
    expect(visits.map(({ status, location }) => [status, location])).toEqual([
      [404, null],
      [404, null],
    ]);
  });

  it('is held to the limit of returns', async () => {
    const { person, page } = await returned();
    const statuses = [];
    for (let count = 0; count < 40; count += 1) statuses.push((await person.press(page)).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
  });
});
