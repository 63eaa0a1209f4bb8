import { expect, test } from 'vitest';
import type { AuthenticateAttempt, Store } from '../../src/store/ports/store.port.ts';
import { authentication, digestNamed, sampleAttempt, samplePerson } from './samples.ts';
import { ENDS, ROUNDS } from './store-openid-grants.ts';
import { authenticated, consumption, foundOf } from './store-openid.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

const BODY = JSON.stringify({ birthdate: '1990-04-12' });

/** A record that waits for the client of an attempt. */
async function kept(own: Store, person = samplePerson(), more: Partial<AuthenticateAttempt> = {}) {
  const attempt = sampleAttempt();
  await own.insertAttempt(attempt);
  const { attemptId, expiresAt } = attempt;
  const record = { model: 'BirthDate', id: attemptId, body: BODY, expiresAt };
  const keeps = { record, subject: `kept for ${attemptId}` };
  const login = await own.authenticateAttempt(authentication(attempt, { person, keeps, ...more }));
  return { login, record, subject: keeps.subject };
}

export function openidKeptTests(open: OpenStore): void {
  test('S-101: the records of a user have what the OpenID Provider keeps about them, and no other', () =>
    withStore(open, async (own) => {
      const { login, record } = await kept(own);
      if (login === null || login.user === null) throw new Error('the login was refused');
      const other = await kept(own);
      const { model, body, expiresAt } = record;
      const { client } = login.attempt;
      const { openid } = await own.readRecords(login.user, []);
      expect(openid).toEqual([{ model, body, expiresAt, client }]);
      const never = await authenticated(own);
      expect((await own.readRecords(never.user, [])).openid).toEqual([]);
      expect(other.login).not.toBeNull();
    }));

  test('S-149: an authentication writes what waits for the client, of the person, whose sub it gives', () =>
    withStore(open, async (own) => {
      const { login, record, subject } = await kept(own);
      if (login === null || login.user === null) throw new Error('the login was refused');
      expect(await own.findOpenid(record)).toEqual(foundOf({ ...record, ...ALONE }));
      expect(await own.findSubject(subject)).toEqual(login.user);
      const { begins } = consumption(login.attempt);
      const change = consumption(login.attempt, {
        ends: record,
        begins: { ...begins, body: BODY },
      });
      const result = await own.consumeAttempt(change);
      expect(result).toMatchObject({ subject, user: login.user });
      expect(await own.findOpenid(record)).toBeNull();
      expect((await own.findOpenid(begins))?.body).toBe(BODY);
    }));

  test('S-149: nothing is written where the attempt stays as it is, and nothing removed', () =>
    withStore(open, async (own) => {
      const other = await kept(own, samplePerson(), { flow: 'oidc' });
      expect(other.login).toBeNull();
      expect(await own.findOpenid(other.record)).toBeNull();
      expect(await own.findSubject(other.subject)).toBeNull();
      const { login, record } = await kept(own);
      if (login === null) throw new Error('the login was refused');
      const wrong = { ends: record, completionDigest: digestNamed('wrong') };
      expect(await own.consumeAttempt(consumption(login.attempt, wrong))).toBeNull();
      expect(await own.findOpenid(record)).not.toBeNull();
    }));

  test('S-149: of a person at many sign-ins at once each is kept, under the sub of one', () =>
    withStore(open, async (own) => {
      const person = samplePerson();
      const all = await Promise.all(Array.from({ length: ROUNDS }, () => kept(own, person)));
      const results = await Promise.all(
        all.map(async ({ login, record }) => {
          expect(await own.findOpenid(record)).not.toBeNull();
          if (login === null) throw new Error('the login was refused');
          return own.consumeAttempt(consumption(login.attempt, { ends: record }));
        }),
      );
      expect(new Set(results.map((result) => result?.subject)).size).toBe(1);
      expect(all.map(({ subject }) => subject)).toContain(results[0]?.subject);
    }));

  test.each(Object.entries(ENDS).slice(0, -1))(
    'S-149: %s ends it, although the person has no grant yet',
    (_, end) =>
      withStore(open, async (own) => {
        const { login, record } = await kept(own);
        if (login === null || login.user === null) throw new Error('the login was refused');
        const { attempt, user } = login;
        await end(own, { attempt, user, subject: 'none', grant: 'none' });
        expect(await own.findOpenid(record)).toBeNull();
      }),
  );
}

const ALONE = { grant: null, subject: null, client: null, attemptId: null };
