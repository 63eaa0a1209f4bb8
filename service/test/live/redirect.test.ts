import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BANK_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { LiveClient } from '../support/live/live-client.ts';

let rehearsal: OpenedRehearsal;
beforeAll(async () => void (rehearsal = await openRehearsal()));
afterAll(async () => rehearsal[Symbol.asyncDispose]());

describe('a login by redirect', () => {
  it('goes from the launch page to the provider, back to the client, and to a token', async () => {
    const bank = new LiveClient(rehearsal, BANK_KEY);
    const person = new PersonBrowser();
    const started = await bank.startRedirect();
    expect((await bank.status(started)).data).toMatchObject({ status: 'pending', user: null });
    const back = await person.signIn(started.authorization_url, 'amal');
    expect(back.origin + back.pathname).toBe('https://bank.example.test/return');
    expect(back.searchParams.get('attempt_id')).toBe(started.attempt_id);
    const code = back.searchParams.get('completion_code') ?? '';
    expect((await bank.status(started)).data).toMatchObject({
      status: 'authenticated',
      user: { national_id: '1101', name: '' },
    });
    const issued = await bank.redeem(started, { completion_code: code });
    expect(issued.status).toBe(200);
    expect(issued.data).toMatchObject({ user: { national_id: '1000001101' } });
  });
});

describe('the launch page', () => {
  it('does nothing by being looked at, by whomever and how often', async () => {
    const bank = new LiveClient(rehearsal, BANK_KEY);
    const { authorization_url: address } = await bank.startRedirect();
    const scanner = new PersonBrowser();
    for (let look = 0; look < 3; look += 1) expect((await scanner.open(address)).status).toBe(200);
    const page = await new PersonBrowser().launch(address);
    expect(page.html).toContain('data-testid="approve"');
  });

  it('takes an impatient double click for what it is', async () => {
    const bank = new LiveClient(rehearsal, BANK_KEY);
    const { authorization_url: address } = await bank.startRedirect();
    const person = new PersonBrowser();
    const page = await person.open(address);
    const presses = await Promise.all([person.press(page), person.press(page)]);
    expect(presses.map(({ status }) => status)).toEqual([200, 200]);
    const back = await person.returnFrom(await person.follow(await person.press(page)), 'amal');
    expect((await person.open(back)).location?.host).toBe('bank.example.test');
  });

  it('belongs to the browser that pressed its button first', async () => {
    const bank = new LiveClient(rehearsal, BANK_KEY);
    const { authorization_url: address } = await bank.startRedirect();
    await new PersonBrowser().launch(address);
    const second = new PersonBrowser();
    const refused = await second.press(await second.open(address));
    expect(refused.status).toBe(403);
    expect(refused.location).toBeNull();
  });
});
