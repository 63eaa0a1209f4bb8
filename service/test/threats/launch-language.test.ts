import { describe, expect, it } from 'vitest';
import type { Started } from '../support/live/live-client.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { text } from '../support/provider/area-b.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { codeOf, comeBack, OWN_SECRET } from '../support/live/steps.ts';

const scene = shareOpened();

const startInArabic = () => scene().bank.startRedirect({ locale: 'ar' });
const inEnglish = ({ authorization_url: address }: Started) => `${address}&locale=en`;

/** The number of sessions that were requested for this attempt. */
const sessionsOf = ({ attempt_id: id }: Started) =>
  scene()
    .provider.received('session')
    .filter(({ query }) => query['requestId'] === id).length;

async function launchInEnglish(started: Started, browser = new PersonBrowser()) {
  return browser.press(await browser.open(inEnglish(started)));
}

describe('threat 61: sessions at the provider that launch pages could open', () => {
  it('looking opens none, in whichever language and however often', async () => {
    const started = await startInArabic();
    const { state } = scene().provider.session(started.attempt_id);
    for (const _ of [1, 2, 3]) await new PersonBrowser().open(inEnglish(started));
    expect(sessionsOf(started)).toBe(1);
    expect(scene().provider.session(started.attempt_id).state).toBe(state);
  });

  it('a form of another site opens none', async () => {
    const started = await startInArabic();
    const action = `${scene().origin}/api/v1/callback/launch?locale=en`;
    const form = { state: started.attempt_id, secret: OWN_SECRET };
    const evil = { origin: 'https://evil.example.test' };
    const refused = await new PersonBrowser().submit(action, form, evil as URL);
    expect([refused.status, sessionsOf(started)]).toEqual([403, 1]);
  });

  it('the button opens one, for the browser that launches and for nobody after it', async () => {
    const started = await startInArabic();
    const browser = new PersonBrowser();
    const page = await browser.open(inEnglish(started));
    const presses = await Promise.all([browser.press(page), browser.press(page)]);
    const { state } = scene().provider.session(started.attempt_id);
    for (const pressed of [...presses, await launchInEnglish(started, browser)]) {
      expect(pressed.status).toBe(200);
      expect(pressed.location?.searchParams.get('state')).toBe(state);
      expect(pressed.location?.searchParams.get('ui_locales')).toBe('en');
    }
    expect((await launchInEnglish(started)).status).toBe(403);
    expect(sessionsOf(started)).toBe(2);
    scene().provider.approve(started.attempt_id);
    expect(codeOf(await comeBack(scene(), started, browser))).toMatch(/^[\w-]{43}$/);
  });

  it('a sign-in launched in the language of the attempt keeps its session', async () => {
    const started = await startInArabic();
    const browser = new PersonBrowser();
    await browser.press(await browser.open(started.authorization_url));
    const again = await launchInEnglish(started, browser);
    const { state } = scene().provider.session(started.attempt_id);
    expect(again.location?.searchParams.get('state')).toBe(state);
    expect((await launchInEnglish(started)).status).toBe(403);
    expect(sessionsOf(started)).toBe(1);
  });
});

describe('threat 61: the state of a session that was replaced', () => {
  it('is unknown, in the launching browser and in every other one, and spoils nothing', async () => {
    const started = await startInArabic();
    const { state } = scene().provider.session(started.attempt_id);
    const query = new URLSearchParams({ state }).toString();
    const browser = new PersonBrowser();
    await launchInEnglish(started, browser);
    const exchanges = scene().provider.received('exchange').length;
    for (const one of [browser, new PersonBrowser()]) {
      expect((await one.open(`${scene().origin}/api/v1/callback?${query}`)).status).toBe(404);
    }
    expect(scene().provider.received('exchange')).toHaveLength(exchanges);
    scene().provider.approve(started.attempt_id);
    expect(codeOf(await comeBack(scene(), started, browser))).toMatch(/^[\w-]{43}$/);
  });

  it('is still the right one where the provider gave no other', async () => {
    const started = await startInArabic();
    const { state } = scene().provider.session(started.attempt_id);
    scene().provider.answer('session', text('out of order', 503));
    const browser = new PersonBrowser();
    const pressed = await launchInEnglish(started, browser);
    expect(pressed.status).toBe(200);
    expect(pressed.location?.searchParams.get('state')).toBe(state);
    scene().provider.approve(started.attempt_id);
    expect(codeOf(await comeBack(scene(), started, browser))).toMatch(/^[\w-]{43}$/);
  });
});
