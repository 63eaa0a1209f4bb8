import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BANK_KEY, rehearse, type Rehearsal } from './support/rehearsal.ts';
import { PersonBrowser } from './support/person-browser.ts';
import { LiveClient } from './support/live-client.ts';

let rehearsal: Rehearsal;
beforeAll(async () => void (rehearsal = await rehearse()));
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
