import { expect, test } from 'vitest';
import type { OpenidRecord } from '../../src/store/ports/store.port.ts';
import { digestNamed, samplePerson } from './samples.ts';
import {
  AT,
  authenticated,
  consumed,
  consumption,
  foundOf,
  grantOf,
  sampleRecord,
} from './store-openid.ts';
import { useStore, type OpenStore } from './store-under-test.ts';

export function openidChangeTests(open: OpenStore): void {
  const store = useStore(open);

  test('S-150: changes are made together, one after another', async () => {
    const { subject, grant } = await consumed(store());
    const [begun, code, session, token] = [
      sampleRecord(),
      sampleRecord({ grant, subject }),
      sampleRecord({ subject, model: 'Session' }),
      sampleRecord({ grant, subject }),
    ];
    await store().putOpenid(begun);
    const changes = [
      { remove: begun },
      { put: code },
      { consume: code, at: AT },
      { put: token },
      { follow: session, followed: { ...token, stays: true } },
    ];
    expect(await store().changeOpenid(changes)).toBe(5);
    expect(await store().findOpenid(begun)).toBeNull();
    expect(await store().findOpenid(code)).toEqual({ ...foundOf(code), consumedAt: AT });
    expect(await store().findOpenid(token)).toEqual(foundOf(token));
    expect(await store().findOpenid(session)).toEqual(foundOf(session));
    expect(await store().changeOpenid([])).toBe(0);
  });

  test.each([
    ['a removal', (there: OpenidRecord) => ({ remove: { ...there, id: 'not there' } })],
    [
      'a consumption',
      (there: OpenidRecord) => ({ consume: { ...there, id: 'not there' }, at: AT }),
    ],
    [
      'a record of no grant',
      (there: OpenidRecord) => ({ put: sampleRecord({ ...there, grant: '-' }) }),
    ],
    [
      'one that follows nothing',
      (there: OpenidRecord) => ({
        follow: there,
        followed: { model: there.model, id: 'not there', stays: true },
      }),
    ],
  ])('S-150: nothing after %s that is not made is made', async (_, refused) => {
    const [before, other, late] = [sampleRecord(), sampleRecord(), sampleRecord()];
    await store().putOpenid(other);
    const changes = [{ put: before }, refused({ ...other, body: 'other' }), { put: late }];
    expect(await store().changeOpenid(changes)).toBe(1);
    expect(await store().findOpenid(before)).toEqual(foundOf(before));
    expect(await store().findOpenid(other)).toEqual(foundOf(other));
    expect(await store().findOpenid(late)).toBeNull();
  });

  test('S-150: asked for with a consumption, they are made after it, or not at all', async () => {
    const person = samplePerson();
    const { subject } = await consumed(store(), person);
    const { attempt } = await authenticated(store(), person);
    const racers = Array.from({ length: 12 }, (_, number) => {
      const grant = `grant ${number} of ${attempt.attemptId}`;
      const begins = { ...grantOf(grant), id: grant };
      const put = sampleRecord({ ...begins, grant, body: 'whole' });
      return { begins, put, code: sampleRecord({ grant }) };
    });
    const ends = await Promise.all(
      racers.map(async ({ begins, put, code }) => {
        const use = store().useAttempt(consumption(attempt, { begins }));
        const made = store().changeOpenid([{ put: { ...put, subject } }, { put: code }]);
        return [await use, await made];
      }),
    );
    expect(ends.filter(([isConsumed]) => isConsumed)).toEqual([[true, 2]]);
    expect(ends.filter(([isConsumed]) => !isConsumed)).toEqual(
      Array.from({ length: 11 }, () => [false, 0]),
    );
    const codes = await Promise.all(racers.map(({ code }) => store().findOpenid(code)));
    expect(codes.filter((one) => one !== null)).toHaveLength(1);
    const rows = await store().readAudit({ after: 0, limit: 10, attemptId: attempt.attemptId });
    expect(rows.map(({ action }) => action)).toEqual(['attempt.authenticated', 'openid.signed_in']);
    expect(await store().verifyAudit()).toMatchObject({ ok: true });
  });

  test('S-127: of a person who has a sub an attempt is used as one that is consumed', async () => {
    const person = samplePerson();
    const { subject, user } = await consumed(store(), person);
    const { attempt } = await authenticated(store(), person);
    const { attemptId } = attempt;
    const wrong = consumption(attempt, { completionDigest: digestNamed('wrong') });
    expect(await store().useAttempt(wrong)).toBe(false);
    await store().disableUser(user.id, AT);
    expect(await store().useAttempt(consumption(attempt))).toBe(false);
    await store().enableUser(user.id, AT);
    expect(await store().useAttempt(consumption(attempt))).toBe(true);
    const found = await store().findSignIn(attemptId);
    expect(found).toMatchObject({ subject, attempt: { redeemedAt: AT } });
    expect(await store().useAttempt(consumption(attempt))).toBe(false);
    const begun = { ...grantOf(attemptId), body: '{}', attemptId: null };
    expect(await store().findOpenid(begun)).toEqual(foundOf(sampleRecord(begun)));
    await store().disableUser(user.id, AT);
    expect(await store().findOpenid(begun)).toBeNull();
  });

  test('S-150: of many at once that begin with one removal, one is made', async () => {
    const begun = sampleRecord();
    await store().putOpenid(begun);
    const codes = Array.from({ length: 12 }, () => sampleRecord());
    const made = await Promise.all(
      codes.map((put) => store().changeOpenid([{ remove: begun }, { put }])),
    );
    expect(made.filter((changes) => changes === 2)).toHaveLength(1);
    expect(made.filter((changes) => changes === 0)).toHaveLength(11);
    const found = await Promise.all(codes.map((code) => store().findOpenid(code)));
    expect(found.filter((one) => one !== null)).toHaveLength(1);
  });
}
