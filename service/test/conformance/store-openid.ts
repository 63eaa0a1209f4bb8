import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import type { User } from '../../src/account/user.ts';
import type {
  ConsumeAttempt,
  OpenidRecord,
  RevocationScope,
  Store,
} from '../../src/store/ports/store.port.ts';
import {
  authentication,
  digestNamed,
  nextSerial,
  redemption,
  sampleAttempt,
  samplePerson,
  START,
  storableText,
} from './samples.ts';
import { useStore, withStore, type OpenStore } from './store-under-test.ts';

export const AT = START + 2;
const RACERS = 12;
const MODEL = 'AuthorizationCode';

export function openidTests(open: OpenStore): void {
  recordTests(open);
  raceTests(open);
  endTests(open);
  consumptionTests(open);
}

function recordTests(open: OpenStore): void {
  const store = useStore(open);

  test('S-120: a record comes back as it was written, and as it was written anew', () =>
    fc.assert(
      fc.asyncProperty(storableText(200), storableText(200), async (first, second) => {
        const record = sampleRecord({ body: first });
        await store().putOpenid(record);
        expect(await store().findOpenid(record)).toEqual(foundOf(record));
        const again = { ...record, body: second, expiresAt: START + 9 };
        await store().putOpenid(again);
        expect(await store().findOpenid(record)).toEqual(foundOf(again));
      }),
      { numRuns: 40 },
    ));

  test('S-120: what is written anew stays linked and consumed', async () => {
    const record = sampleRecord();
    const attempt = sampleAttempt();
    const { attemptId } = attempt;
    await store().putOpenid(record);
    await store().insertAttempt(attempt, { ...record, from: null });
    await store().consumeOpenid(record, AT);
    await store().putOpenid(record);
    const expected = { ...foundOf(record), attemptId, consumedAt: AT };
    expect(await store().findOpenid(record)).toEqual(expected);
  });

  test('S-120: a new record has its link, which stays when it is written anew', async () => {
    const { attemptId } = sampleAttempt();
    const record = sampleRecord({ attemptId });
    await store().putOpenid(record);
    expect(await store().openidOfAttempt(attemptId)).toEqual(foundOf(record));
    await store().putOpenid({ ...record, attemptId: sampleAttempt().attemptId });
    await store().putOpenid({ ...record, attemptId: null });
    expect(await store().findOpenid(record)).toEqual(foundOf(record));
  });

  test('S-120: two models have nothing of each other, and nobody finds what is not there', async () => {
    const record = sampleRecord();
    const other = sampleRecord({ model: 'AccessToken', id: record.id });
    await store().putOpenid(record);
    expect(await store().findOpenid(other)).toBeNull();
    await store().putOpenid(other);
    expect(await store().removeOpenid(record)).toBe(true);
    expect(await store().removeOpenid(record)).toBe(false);
    expect(await store().findOpenid(record)).toBeNull();
    expect(await store().findOpenid(other)).toEqual(foundOf(other));
  });

  test('S-120: the log has whom a client has got lasting access for', () =>
    withStore(open, async (empty) => {
      const { user, subject } = await consumed(empty);
      const record = sampleRecord({ subject, client: 'shop' });
      await empty.putOpenid(record, { userId: user.id, at: AT });
      expect(await empty.findOpenid(record)).toEqual(foundOf(record));
      const [row] = (await rowsOf(empty)).slice(-1);
      const expected = { at: AT, action: 'openid.grant_issued', userId: user.id, client: 'shop' };
      expect(row).toMatchObject(expected);
      expect(await empty.verifyAudit()).toMatchObject({ ok: true });
    }));
}

export const rowsOf = (store: Store) => store.readAudit({ after: 0, limit: 100 });

function raceTests(open: OpenStore): void {
  const store = useStore(open);
  const racers = Array.from({ length: RACERS }, (_, number) => number);

  test('S-124: of any number of removals of a record one has removed it', async () => {
    const record = sampleRecord();
    await store().putOpenid(record);
    const removals = await Promise.all(racers.map(() => store().removeOpenid(record)));
    expect(removals.filter((isFirst) => isFirst)).toHaveLength(1);
  });

  test('S-124: a grant ends with what was given under it, once, and with nothing else', () =>
    withStore(open, async (empty) => {
      const { user, subject, grant, attempt } = await consumed(empty);
      const { client } = attempt;
      const of = { grant, subject, client };
      const [one, two, other] = [sampleRecord(of), sampleRecord(of), sampleRecord()];
      for (const record of [one, two, other]) await empty.putOpenid(record);
      await Promise.all(racers.map(() => empty.removeOpenidGrant(of.grant, AT)));
      expect(await empty.findOpenid(one)).toBeNull();
      expect(await empty.findOpenid(two)).toBeNull();
      expect(await empty.findOpenid(other)).not.toBeNull();
      const ended = (await rowsOf(empty)).filter(({ action }) => action === 'openid.grant_ended');
      expect(ended).toHaveLength(1);
      expect(ended[0]).toMatchObject({ at: AT, userId: user.id, client });
    }));

  test('S-121: of many that keep a record at once all get the same one', async () => {
    const name = sampleRecord({ expiresAt: null });
    const kept = await Promise.all(
      racers.map((number) => store().keepOpenid({ ...name, body: `body ${number}` })),
    );
    expect(new Set(kept).size).toBe(1);
    expect(await store().keepOpenid({ ...name, body: 'late' })).toBe(kept[0]);
    expect((await store().findOpenid(name))?.body).toBe(kept[0]);
  });

  test('S-129: of many that replace the same body at once one does, and the log says so once', () =>
    withStore(open, async (empty) => {
      const keys = sampleRecord({ expiresAt: null });
      await empty.keepOpenid(keys);
      const change = { model: keys.model, id: keys.id, from: keys.body, at: AT };
      const made = await Promise.all(
        racers.map((number) => empty.replaceOpenid({ ...change, to: `body ${number}` })),
      );
      expect(made.filter(Boolean)).toHaveLength(1);
      const body = `body ${made.indexOf(true)}`;
      expect(await empty.findOpenid(keys)).toEqual(foundOf({ ...keys, body }));
      expect(await empty.replaceOpenid({ ...change, to: 'late' })).toBe(false);
      expect(await empty.replaceOpenid({ ...change, id: 'not there', to: 'x' })).toBe(false);
      expect(await empty.findOpenid(keys)).toEqual(foundOf({ ...keys, body }));
      const rows = await rowsOf(empty);
      expect(rows.map(({ action, at }) => [action, at])).toContainEqual([
        'openid.keys_rotated',
        AT,
      ]);
      expect(rows.filter(({ action }) => action === 'openid.keys_rotated')).toHaveLength(1);
      expect(await empty.verifyAudit()).toMatchObject({ ok: true });
    }));

  test('S-122: of many consumptions at once one gives true, and none of what is not there', async () => {
    const record = sampleRecord();
    await store().putOpenid(record);
    const won = await Promise.all(racers.map((more) => store().consumeOpenid(record, AT + more)));
    expect(won.filter(Boolean)).toHaveLength(1);
    const consumedAt = AT + won.indexOf(true);
    expect(await store().findOpenid(record)).toEqual({ ...foundOf(record), consumedAt });
    expect(await store().consumeOpenid(sampleRecord(), AT)).toBe(false);
  });
}

function endTests(open: OpenStore): void {
  test('S-125: the purge removes what has expired, the earliest first, and no more than it may', () =>
    withStore(open, async (store) => {
      const [first, second, last, ever] = [1, 2, 3, null].map((after) =>
        sampleRecord({ expiresAt: after === null ? null : START + after }),
      );
      const records = [first, second, last, ever].filter((record) => record !== undefined);
      for (const record of records.toReversed()) await store.putOpenid(record);
      const there = async () =>
        (await Promise.all(records.map((record) => store.findOpenid(record)))).map(
          (found) => found !== null,
        );
      const bounds = { expiredBefore: 0, redeemedBefore: START + 3, limit: 1 };
      expect(await store.purge(bounds)).toMatchObject({ openid: 1 });
      expect(await there()).toEqual([false, true, true, true]);
      await store.purge({ ...bounds, limit: 10 });
      expect(await there()).toEqual([false, false, true, true]);
    }));

  const SCOPES: Readonly<Record<string, (user: User) => RevocationScope>> = {
    all: () => 'all',
    user: ({ id }) => ({ userId: id }),
    client: () => ({ client: 'shop' }),
  };

  test.each(Object.keys(SCOPES))('S-126: a revocation of %s ends what is in its scope', (name) =>
    withStore(open, async (store) => {
      const { user, subject } = await consumed(store);
      const kept = sampleRecord({ expiresAt: null });
      const ofUser = sampleRecord({ subject, client: 'bank' });
      const ofClient = sampleRecord({ subject: 'somebody else', client: 'shop' });
      for (const record of [kept, ofUser, ofClient]) await store.putOpenid(record);
      await store.revokeAll(AT, SCOPES[name]?.(user) ?? 'all');
      expect(await store.findOpenid(kept)).toEqual(foundOf(kept));
      expect((await store.findOpenid(ofUser)) === null).toBe(name !== 'client');
      expect((await store.findOpenid(ofClient)) === null).toBe(name !== 'user');
    }),
  );

  test('S-126: a person who never signed in by OpenID takes nothing of others with them', () =>
    withStore(open, async (store) => {
      const record = sampleRecord();
      await store.putOpenid(record);
      const { user } = await authenticated(store);
      await store.revokeAll(AT, { userId: user.id });
      await store.eraseUser({ userId: user.id, at: AT, pushesOf: [], keepsOut: null });
      expect(await store.findOpenid(record)).not.toBeNull();
    }));

  test('S-126: whoever is erased takes their records with them', () =>
    withStore(open, async (store) => {
      const { user, subject } = await consumed(store);
      const [own, other] = [sampleRecord({ subject }), sampleRecord({ subject: 'another' })];
      for (const record of [own, other]) await store.putOpenid(record);
      await store.eraseUser({ userId: user.id, at: AT, pushesOf: [], keepsOut: null });
      expect(await store.findOpenid(own)).toBeNull();
      expect(await store.findOpenid(other)).not.toBeNull();
      expect(await store.findSubject(subject)).toBeNull();
    }));

  test('S-126: whoever is disabled loses their records, also for the time after', () =>
    withStore(open, async (store) => {
      const { user, subject } = await consumed(store);
      const [own, other] = [sampleRecord({ subject }), sampleRecord({ subject: 'another' })];
      for (const record of [own, other]) await store.putOpenid(record);
      await store.disableUser(user.id, AT);
      await store.enableUser(user.id, AT);
      expect(await store.findOpenid(own)).toBeNull();
      expect(await store.findOpenid(other)).not.toBeNull();
    }));

  test('S-126: after a backup has replaced the store only what does not expire is there', () =>
    withStore(open, async (store) => {
      const [token, keys] = [sampleRecord(), sampleRecord({ expiresAt: null })];
      for (const record of [token, keys]) await store.putOpenid(record);
      const facts = { disabled: [], keptOut: [], lastUserId: 0, isContinued: false };
      await store.restore({ at: AT, ...facts });
      expect(await store.findOpenid(token)).toBeNull();
      expect(await store.findOpenid(keys)).toEqual(foundOf(keys));
    }));
}

function consumptionTests(open: OpenStore): void {
  const store = useStore(open);

  test('S-127: an attempt is redeemed without a token, and the log says by what', async () => {
    const { attempt, user } = await authenticated(store());
    const { attemptId } = attempt;
    const change = consumption(attempt);
    const result = await store().consumeAttempt(change);
    expect(result).toEqual({
      attempt: { ...attempt, redeemedAt: AT },
      user,
      subject: change.subject,
    });
    expect(await store().findAttempt(attemptId)).toEqual({ attempt: result?.attempt, user });
    expect(await store().findTokenOfAttempt(attemptId)).toBeNull();
    expect(await store().findSubject(change.subject)).toEqual(user);
    const found = await store().findAttempt(attemptId);
    expect(await store().findSignIn(attemptId)).toEqual({ ...found, subject: change.subject });
    const rows = await store().readAudit({ after: 0, limit: 10, attemptId });
    expect(rows.map(({ action }) => action)).toEqual(['attempt.authenticated', 'openid.signed_in']);
    expect(rows[1]).toMatchObject({ at: AT, userId: user.id, client: attempt.client });
    expect(await store().verifyAudit()).toMatchObject({ ok: true });
  });

  test('S-127: a person keeps their sub at every later sign-in, and no two have the same', async () => {
    const person = samplePerson();
    const first = await consumed(store(), person);
    const second = await consumed(store(), person);
    expect(second.subject).toBe(first.subject);
    expect((await consumed(store())).subject).not.toBe(first.subject);
  });

  test('S-127: of many redemptions at once, for a code and for a token, one succeeds', async () => {
    const { attempt } = await authenticated(store());
    const racers = Array.from({ length: RACERS }, (_, number) =>
      number % 2 === 0
        ? store().consumeAttempt(consumption(attempt))
        : store().redeemAttempt(redemption(attempt)),
    );
    expect((await Promise.all(racers)).filter((one) => one !== null)).toHaveLength(1);
  });

  test('S-127: nothing for a wrong code, a disabled user and an ended attempt', async () => {
    const { attempt, user } = await authenticated(store());
    const { attemptId } = attempt;
    expect(await store().findSignIn(attemptId)).toEqual({ attempt, user, subject: null });
    const pending = sampleAttempt();
    await store().insertAttempt(pending);
    const nobody = { attempt: pending, user: null, subject: null };
    expect(await store().findSignIn(pending.attemptId)).toEqual(nobody);
    expect(await store().findSignIn(sampleAttempt().attemptId)).toBeNull();
    const wrong = consumption(attempt, { completionDigest: digestNamed('wrong') });
    expect(await store().consumeAttempt(wrong)).toBeNull();
    await store().disableUser(user.id, AT);
    expect(await store().consumeAttempt(consumption(attempt))).toBeNull();
    await store().enableUser(user.id, AT);
    await store().revokeAll(AT, { userId: user.id });
    expect(await store().consumeAttempt(consumption(attempt))).toBeNull();
    const rows = await store().readAudit({ after: 0, limit: 10, attemptId });
    expect(rows.map(({ action }) => action)).not.toContain('openid.signed_in');
  });
}

export const grantOf = (name: string) => ({
  model: 'Grant',
  id: `grant of ${name}`,
  expiresAt: START + 60_000,
});

export function sampleRecord(changes: Partial<OpenidRecord> = {}): OpenidRecord {
  const number = nextSerial();
  return {
    model: MODEL,
    id: `id ${number}`,
    body: '{}',
    grant: null,
    subject: `subject ${number}`,
    client: 'client',
    attemptId: null,
    expiresAt: START + 60_000,
    ...changes,
  };
}

export function foundOf({ body, expiresAt, attemptId }: OpenidRecord) {
  return { body, expiresAt, attemptId, consumedAt: null };
}

export async function authenticated(
  store: Store,
  person = samplePerson(),
): Promise<{ attempt: AttemptRecord; user: User }> {
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  const login = await store.authenticateAttempt(authentication(attempt, { person }));
  if (login === null || login.user === null) throw new Error('the login was refused');
  return { attempt: login.attempt, user: login.user };
}

export function consumption(
  { attemptId }: AttemptRecord,
  changes: Partial<ConsumeAttempt> = {},
): ConsumeAttempt {
  return {
    attemptId,
    at: AT,
    completionDigest: null,
    subject: `sub of ${attemptId}`,
    begins: grantOf(attemptId),
    ...changes,
  };
}

export async function consumed(store: Store, person = samplePerson()) {
  const { attempt } = await authenticated(store, person);
  const change = consumption(attempt);
  const result = await store.consumeAttempt(change);
  if (result === null) throw new Error('the attempt was not consumed');
  return { ...result, grant: change.begins.id };
}
