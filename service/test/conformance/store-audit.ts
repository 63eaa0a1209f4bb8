import { expect, test } from 'vitest';
import type { AuditAction, AuditRow } from '../../src/audit/audit.ts';
import { NO_DIGEST } from '../../src/values/secret.ts';
import { PUSH_BUDGET } from '../../src/attempt/start/push-budget.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { ACT, authentication, digestNamed, redemption, sampleAttempt, START } from './samples.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

const AT = START + 3;
const ALL = { after: 0, limit: 10_000 };
const NOTHING_ELSE = { userId: null, personDigest: null, detail: null, count: null };

export function auditTests(open: OpenStore): void {
  test('S-80: a sign-in has a row for each decision, and none for its start', () =>
    withStore(open, async (store) => {
      const attempt = sampleAttempt();
      const { attemptId, client } = attempt;
      await store.insertAttempt(attempt);
      expect(await store.readAudit(ALL)).toEqual([]);
      const login = await store.authenticateAttempt(authentication(attempt, { at: START + 1 }));
      const userId = login?.user?.id;
      await store.countWrongCode(attemptId, START + 2);
      const issued = await store.redeemAttempt(redemption(attempt, { at: AT }));
      if (issued !== null) await store.revokeToken(issued.tokenId, issued, AT + 1);
      const about = { ...NOTHING_ELSE, attemptId, client, userId };
      expect(await store.readAudit(ALL)).toMatchObject([
        { ...about, sequence: 1, action: 'attempt.authenticated', at: START + 1 },
        { ...about, sequence: 2, action: 'attempt.completion_missed', at: START + 2 },
        { ...about, sequence: 3, action: 'token.issued', at: AT },
        { ...about, sequence: 4, action: 'token.revoked', at: AT + 1 },
      ]);
    }));

  test('S-80: an attempt that ends badly says why', () =>
    withStore(open, async (store) => {
      const [rejected, failed, missed] = [sampleAttempt(), sampleAttempt(), sampleAttempt()];
      for (const one of [rejected, failed, missed]) await store.insertAttempt(one);
      const at = AT;
      await store.rejectAttempt({
        attemptId: rejected.attemptId,
        at,
        reason: 'assurance.insufficient',
      });
      await store.failAttempt({ attemptId: failed.attemptId, at, reason: 'provider.timeout' });
      await store.authenticateAttempt(authentication(missed));
      for (let miss = 0; miss < 5; miss += 1) await store.countWrongCode(missed.attemptId, at);
      const rows = await store.readAudit(ALL);
      expect(rows.map(({ action, detail }) => [action, detail])).toEqual([
        ['attempt.rejected', 'assurance.insufficient'],
        ['attempt.failed', 'provider.timeout'],
        ['attempt.authenticated', null],
        ...[1, 2, 3, 4].map(() => ['attempt.completion_missed', null]),
        ['attempt.completion_missed', 'attempt.failed'],
      ]);
    }));

  test('S-80: what an operator does has a row each, and only when it changes something', () =>
    withStore(open, async (store) => {
      await store.bindTo({ mode: 'simulator', provider: null }, AT);
      await store.bindTo({ mode: 'simulator', provider: null }, AT);
      const attempt = sampleAttempt();
      await store.insertAttempt(attempt);
      await store.authenticateAttempt(authentication(attempt));
      const issued = await store.redeemAttempt(redemption(attempt));
      if (issued === null) throw new Error('the redemption was refused');
      const id = issued.userId;
      for (const at of [AT, AT + 1]) await store.disableUser(id, at);
      for (const at of [AT, AT + 1]) await store.enableUser(id, at);
      await store.revokeAll(AT, { userId: id });
      await store.revokeAll(AT, { client: 'nobody' });
      for (const next of [sampleAttempt(), sampleAttempt()]) await store.insertAttempt(next);
      await store.revokeAll(AT, 'all');
      const rows = (await store.readAudit(ALL)).filter(({ attemptId }) => attemptId === null);
      expect(rows).toMatchObject([
        { ...NOTHING_ELSE, action: 'store.sealed', at: AT, detail: 'simulator' },
        { ...NOTHING_ELSE, action: 'user.disabled', at: AT, userId: id },
        { ...NOTHING_ELSE, action: 'user.enabled', at: AT, userId: id },
        { action: 'tokens.revoked_all', userId: id, client: null, detail: 'user', count: 1 },
        { action: 'tokens.revoked_all', userId: null, client: 'nobody', detail: 'client' },
        { ...NOTHING_ELSE, action: 'attempt.failed', detail: 'attempt.failed', count: 2 },
        { action: 'tokens.revoked_all', userId: null, client: null, detail: 'all', count: 0 },
      ]);
    }));

  test('S-131: every row that is written for somebody has the actor and the reason', () =>
    withStore(open, async (store) => {
      const acting = store.by(ACT);
      await acting.bindTo({ mode: 'simulator', provider: null }, AT);
      const attempt = await authenticated(store);
      const issued = await store.redeemAttempt(redemption(attempt));
      const id = issued?.userId;
      if (id === undefined) throw new Error('the redemption was refused');
      await acting.disableUser(id, AT);
      await acting.enableUser(id, AT);
      await acting.insertAttempt(sampleAttempt());
      await acting.revokeAll(AT, 'all');
      await acting.recordEvent({ at: AT, action: 'user.exported' });
      await acting.by({ ...ACT, reason: null }).eraseUser({
        userId: id,
        at: AT,
        pushesOf: [],
        keepsOut: null,
      });
      await store.recordEvent({ at: AT, action: 'service.stopped' });
      const [{ actor, reason }, nobody] = [ACT, { actor: null, reason: null }];
      expect(await store.readAudit(ALL)).toMatchObject([
        { action: 'store.sealed', actor, reason },
        { action: 'attempt.authenticated', ...nobody },
        { action: 'token.issued', ...nobody },
        { action: 'user.disabled', userId: id, actor, reason },
        { action: 'user.enabled', userId: id, actor, reason },
        { action: 'attempt.failed', count: 1, actor, reason },
        { action: 'tokens.revoked_all', count: 1, actor, reason },
        { action: 'user.exported', actor, reason },
        { action: 'user.erased', actor, reason: null },
        { action: 'service.stopped', ...nobody },
      ]);
      expect(await acting.verifyAudit()).toMatchObject({ ok: true, count: 10 });
    }));

  test('S-80: a push that is admitted has a row with the digest, one that is refused has none', () =>
    withStore(open, async (store) => {
      const [one, other] = [sampleAttempt(), sampleAttempt()];
      for (const each of [one, other]) await store.insertAttempt(each);
      const personDigest = digestNamed('person');
      const wish = { personDigest, client: one.client, at: AT, budget: PUSH_BUDGET };
      expect(await store.admitPush({ ...wish, attemptId: one.attemptId })).toBe(true);
      expect(await store.admitPush({ ...wish, attemptId: other.attemptId })).toBe(false);
      const { attemptId, client } = one;
      expect(await store.readAudit(ALL)).toMatchObject([
        { ...NOTHING_ELSE, action: 'push.admitted', at: AT, attemptId, client, personDigest },
      ]);
    }));

  test('S-80: what was refused has no row', () =>
    withStore(open, async (store) => {
      const attempt = sampleAttempt();
      const end = { attemptId: attempt.attemptId, at: AT };
      await store.insertAttempt(attempt);
      await store.redeemAttempt(redemption(attempt));
      await store.countWrongCode(attempt.attemptId, AT);
      await store.rejectAttempt({ ...end, reason: 'attempt.rejected' });
      await store.authenticateAttempt(authentication(attempt));
      await store.failAttempt({ ...end, reason: 'attempt.failed' });
      await store.rejectAttempt({ ...end, reason: 'attempt.rejected' });
      expect(await actionsOf(store)).toEqual(['attempt.rejected']);
    }));

  test('S-80: a token is revoked once, and by its own person and client', () =>
    withStore(open, async (store) => {
      const token = await store.redeemAttempt(redemption(await authenticated(store)));
      const other = await store.redeemAttempt(redemption(await authenticated(store)));
      if (token === null || other === null) throw new Error('the redemption was refused');
      for (const owner of [other, { ...token, client: 'another' }, token, token]) {
        await store.revokeToken(token.tokenId, owner, AT);
      }
      const actions = await actionsOf(store);
      expect(actions.filter((action) => action === 'token.revoked')).toHaveLength(1);
    }));

  test('S-80: an event is written as it was told', () =>
    withStore(open, async (store) => {
      const { attemptId } = sampleAttempt();
      const about = { attemptId, client: 'app', detail: 'provider.mismatch', count: 3 } as const;
      await store.recordEvent({ at: AT, action: 'service.started' });
      await store.recordEvent({ ...about, at: AT, action: 'provider.mismatch' });
      const none = { attemptId: null, userId: null, client: null, personDigest: null };
      expect(await store.readAudit(ALL)).toMatchObject([
        { ...none, at: AT, action: 'service.started', detail: null, count: null },
        { ...none, ...about, at: AT, action: 'provider.mismatch' },
      ]);
    }));

  test('S-80, S-81: of 64 redemptions at once one has a row, and there is no gap', () =>
    withStore(open, async (store) => {
      const attempts = await Promise.all(Array.from({ length: 8 }, () => authenticated(store)));
      const racers = attempts.flatMap((one) => Array.from({ length: 8 }, () => redemption(one)));
      await Promise.all(racers.map((change) => store.redeemAttempt(change)));
      const rows = await store.readAudit(ALL);
      expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1));
      const issued = rows.filter(({ action }) => action === 'token.issued');
      expect(issued).toHaveLength(attempts.length);
      expect(new Set(issued.map(({ attemptId }) => attemptId))).toEqual(
        new Set(attempts.map(({ attemptId }) => attemptId)),
      );
    }));

  test('S-81: rows are read in parts, and of one attempt', () =>
    withStore(open, async (store) => {
      const attempts = [];
      for (let count = 0; count < 5; count += 1) attempts.push(await authenticated(store));
      const sequences = async (after: number, limit: number) =>
        (await store.readAudit({ after, limit })).map(({ sequence }) => sequence);
      expect(await sequences(0, 2)).toEqual([1, 2]);
      expect(await sequences(2, 10)).toEqual([3, 4, 5]);
      expect(await sequences(5, 10)).toEqual([]);
      const { attemptId } = attempts[2] ?? sampleAttempt();
      expect(await store.readAudit({ ...ALL, attemptId })).toMatchObject([{ sequence: 3 }]);
      expect(await store.readAudit({ after: 3, limit: 10, attemptId })).toEqual([]);
    }));

  test('S-82: each row names the hash of the one before, and the last is the head', () =>
    withStore(open, async (store) => {
      expect(await store.verifyAudit()).toEqual({ ok: true, count: 0, head: NO_DIGEST });
      for (let count = 0; count < 4; count += 1) await authenticated(store);
      const rows = await store.readAudit(ALL);
      const hashes = rows.map(({ hash }: AuditRow) => hash);
      expect(rows.map(({ previous }) => previous)).toEqual([NO_DIGEST, ...hashes.slice(0, -1)]);
      expect(new Set(hashes).size).toBe(4);
      expect(await store.verifyAudit()).toEqual({ ok: true, count: 4, head: hashes.at(-1) });
    }));

  test('S-86: every head that the log ever had is contained in it, and no other', () =>
    withStore(open, async (store) => {
      const heads = [await store.auditHead()];
      for (let count = 0; count < 3; count += 1) {
        await authenticated(store);
        heads.push(await store.auditHead());
      }
      expect(heads.map(({ count }) => count)).toEqual([0, 1, 2, 3]);
      for (const head of heads) expect(await store.containsHead(head)).toBe(true);
      const [, one, two] = heads;
      if (one === undefined || two === undefined) throw new Error('there are four');
      expect(await store.containsHead({ ...one, hash: two.hash })).toBe(false);
      expect(await store.containsHead({ ...two, count: 4 })).toBe(false);
      expect(await store.containsHead({ ...two, count: 9 })).toBe(false);
      await store.cutAudit({ before: START * 2, limit: 2, at: AT });
      for (const head of heads) expect(await store.containsHead(head)).toBe(true);
      expect(await store.containsHead({ ...two, hash: one.hash })).toBe(false);
    }));

  test('S-87: what is old enough goes from the front, with a row that says so', () =>
    withStore(open, async (store) => {
      const times = [1, 2, 9, 3, 4].map((at) => START + at);
      for (const at of times) await store.recordEvent({ at, action: 'token.replayed' });
      const cut = (before: number, limit: number) => store.cutAudit({ before, limit, at: AT });
      expect(await cut(START + 1, 100)).toBe(0);
      expect(await store.readAudit(ALL)).toHaveLength(5);
      expect(await cut(START + 5, 100)).toBe(2);
      const rows = await store.readAudit(ALL);
      expect(rows.map(({ sequence }) => sequence)).toEqual([3, 4, 5, 6]);
      expect(rows.at(-1)).toMatchObject({ ...NOTHING_ELSE, action: 'audit.cut', at: AT, count: 2 });
      expect(await store.verifyAudit()).toMatchObject({ ok: true, count: 6 });
      expect(await cut(START * 2, 2)).toBe(2);
      expect(await cut(START * 2, 100)).toBe(2);
      expect(await store.readAudit(ALL)).toMatchObject([
        { sequence: 7, action: 'audit.cut' },
        { sequence: 8, action: 'audit.cut' },
      ]);
      await authenticated(store);
      expect(await store.verifyAudit()).toMatchObject({ ok: true, count: 9 });
    }));

  test('S-87: the last row stays, and an empty log has none to cut', () =>
    withStore(open, async (store) => {
      const everything = { before: START * 2, limit: 100, at: AT };
      expect(await store.cutAudit(everything)).toBe(0);
      await authenticated(store);
      expect(await store.cutAudit(everything)).toBe(0);
      expect(await store.readAudit(ALL)).toHaveLength(1);
    }));

  test('S-83: rows outlive what they are about', () =>
    withStore(open, async (store) => {
      await store.redeemAttempt(redemption(await authenticated(store)));
      const before = await store.readAudit(ALL);
      const everything = { expiredBefore: START * 2, redeemedBefore: START * 2, limit: 10 };
      expect(await store.purge(everything)).toMatchObject({ attempts: 1, tokens: 1 });
      expect(await store.readAudit(ALL)).toEqual(before);
      expect(await store.verifyAudit()).toMatchObject({ ok: true, count: 2 });
    }));
}

async function actionsOf(store: Store): Promise<AuditAction[]> {
  return (await store.readAudit(ALL)).map(({ action }) => action);
}

async function authenticated(store: Store) {
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  await store.authenticateAttempt(authentication(attempt));
  return attempt;
}
