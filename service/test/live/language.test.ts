import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiveClient } from '../support/live/live-client.ts';
import { PersonBrowser, type Visit } from '../support/live/person-browser.ts';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';

let rehearsal: OpenedRehearsal;
beforeAll(async () => void (rehearsal = await openRehearsal()));
afterAll(async () => rehearsal[Symbol.asyncDispose]());

const languageOf = ({ html }: Visit) => /<html lang="(\w+)"/.exec(html)?.[1];

describe('a language chosen on the launch page', () => {
  it('is that of the provider’s page, and the sign-in goes on to the token', async () => {
    const bank = new LiveClient(rehearsal, BANK_KEY);
    const person = new PersonBrowser();
    const started = await bank.startRedirect({ locale: 'ar' });
    expect(languageOf(await person.open(started.authorization_url))).toBe('ar');
    const launchPage = await person.open(`${started.authorization_url}&locale=en`);
    expect(languageOf(launchPage)).toBe('en');
    const providerPage = await person.follow(await person.press(launchPage));
    expect(providerPage.url.origin).toBe(rehearsal.origins.simulator);
    expect(providerPage.url.searchParams.get('ui_locales')).toBe('en');
    expect(languageOf(providerPage)).toBe('en');
    const visit = await person.open(await person.returnFrom(providerPage, 'amal'));
    const completion_code = visit.location?.searchParams.get('completion_code') ?? '';
    const issued = await bank.redeem(started, { completion_code });
    expect(issued.status).toBe(200);
    // The application asked for Arabic, so its answers are in Arabic.
    expect(issued.data).toMatchObject({
      user: { national_id: '1000001101', preferred_locale: 'ar' },
    });
  });

  it('stays as it is for who presses in the language of the attempt', async () => {
    const bank = new LiveClient(rehearsal, BANK_KEY);
    const { authorization_url } = await bank.startRedirect({ locale: 'ar' });
    expect(languageOf(await new PersonBrowser().launch(authorization_url))).toBe('ar');
  });
});
