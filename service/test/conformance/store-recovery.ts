import { expect, test } from 'vitest';
import type { Store } from '../../src/store/ports/store.port.ts';
import {
  authentication,
  opening,
  pushTransaction,
  redemption,
  redirectTransaction,
  sampleAttempt,
  samplePerson,
  SEAL,
  START,
} from './samples.ts';
import { withStore, type OpenStore } from './store-under-test.ts';

const AT = START + 9;
const NOBODY = { at: AT, disabled: [], keptOut: [], lastUserId: 0, isContinued: true };

export function recoveryTests(open: OpenStore): void {
  test('S-77: what can still be used ends, what is over stays, and one row says so', () =>
    withStore(open, async (store) => {
      const pending = sampleAttempt();
      const waiting = sampleAttempt();
      const rejected = sampleAttempt();
      for (const one of [pending, waiting, rejected]) await store.insertAttempt(one);
      await store.authenticateAttempt(authentication(waiting));
      const refusal = { at: START + 1, reason: 'attempt.rejected' } as const;
      await store.rejectAttempt({ attemptId: rejected.attemptId, ...refusal });
      const token = await issue(store);
      const over = await store.findAttempt(rejected.attemptId);
      expect(await store.restore(NOBODY)).toEqual({ tokens: 1, attempts: 2, disabled: 0 });
      for (const { attemptId } of [pending, waiting]) {
        const found = await store.findAttempt(attemptId);
        expect(found?.attempt).toMatchObject({ failedAt: AT, endReason: 'attempt.failed' });
      }
      expect(await store.findAttempt(rejected.attemptId)).toEqual(over);
      expect((await store.findToken(token.tokenDigest))?.token.revokedAt).toBe(AT);
      expect((await store.findAttempt(token.attemptId))?.attempt.redemption).toBeNull();
      const rows = await store.readAudit({ after: 0, limit: 100 });
      expect(rows.at(-1)).toMatchObject({ action: 'store.restored', at: AT, count: 1 });
      expect(rows.filter(({ action }) => action === 'store.restored')).toHaveLength(1);
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
    }));

  test('S-77: no launch address stays, of what it ends and of what had expired', () =>
    withStore(open, async (store) => {
      const transactions = [redirectTransaction(), redirectTransaction(), pushTransaction()];
      const [waiting, expired, push] = [sampleAttempt(), sampleAttempt(), sampleAttempt()];
      const attempts = [waiting, { ...expired, expiresAt: AT }, push];
      for (const [index, transaction] of transactions.entries()) {
        const attempt = attempts[index] ?? waiting;
        await store.insertAttempt(attempt);
        await store.openTransaction(opening(attempt, { transaction }));
      }
      await store.restore(NOBODY);
      for (const [index, transaction] of transactions.entries()) {
        const { attemptId } = attempts[index] ?? waiting;
        const erased =
          transaction.kind === 'push' ? transaction : { ...transaction, launchUrl: null };
        expect((await store.findTransaction(attemptId))?.transaction).toEqual(erased);
      }
    }));

  test('S-76, S-77: who was disabled in one store is disabled in the other, by the document', () =>
    withStore(open, async (later) => {
      const [known, lost, stranger] = [samplePerson(), samplePerson(), samplePerson()];
      for (const person of [stranger, known, lost]) await issue(later, person);
      const users = await Promise.all([2, 3].map((id) => later.findUser(id as never)));
      for (const user of users) if (user !== null) await later.disableUser(user.id, START + 5);
      const disabled = await later.listDisabled();
      expect(disabled.map(({ id }) => id)).toEqual([2, 3]);
      expect(await later.lastUserId()).toBe(3);

      await withStore(open, async (backup) => {
        await issue(backup, known);
        const change = { ...NOBODY, disabled, lastUserId: 3 };
        expect(await backup.restore(change)).toMatchObject({ disabled: 2 });
        expect(await backup.listDisabled()).toMatchObject([
          { id: 1, documentNumber: known.documentNumber, disabledAt: AT },
          { id: 3, documentNumber: lost.documentNumber, disabledAt: AT },
        ]);
        const next = await issue(backup, samplePerson());
        expect(next.userId).toBe(4);
        expect(await backup.restore({ ...change, at: AT + 1 })).toMatchObject({ disabled: 0 });
        expect(await backup.verifyAudit()).toMatchObject({ ok: true });
      });
    }));

  test('S-77, S-105: who was erased and kept out since is kept out, and disabled if there', () =>
    withStore(open, async (later) => {
      const [known, unknown] = [samplePerson(), samplePerson()];
      for (const person of [known, unknown]) {
        const { userId } = await issue(later, person);
        await later.eraseUser({ userId, at: AT, pushesOf: [], keepsOut: true });
      }
      const keptOut = await later.listKeptOut();
      expect(keptOut.map(({ since }) => since)).toEqual([AT, AT]);
      await withStore(open, async (backup) => {
        const { userId } = await issue(backup, known);
        const stays = await issue(backup, samplePerson());
        const change = { ...NOBODY, at: AT + 1, keptOut };
        expect(await backup.restore(change)).toMatchObject({ disabled: 1 });
        expect((await backup.findUser(userId))?.disabledAt).toBe(AT + 1);
        expect((await backup.findUser(stays.userId))?.disabledAt).toBeNull();
        expect(await backup.listKeptOut()).toEqual(keptOut);
        const attempt = sampleAttempt();
        await backup.insertAttempt(attempt);
        const login = authentication(attempt, { person: unknown });
        expect((await backup.authenticateAttempt(login))?.user?.disabledAt).toBe(AT);
        expect(await backup.verifyAudit()).toMatchObject({ ok: true });
      });
    }));

  test('S-77: somebody whose id belongs to another one is added under a free one', () =>
    withStore(open, async (later) => {
      const person = samplePerson();
      const { userId } = await issue(later, person);
      await later.disableUser(userId, START + 5);
      const change = { ...NOBODY, disabled: await later.listDisabled(), lastUserId: 7 };
      await withStore(open, async (other) => {
        expect((await issue(other)).userId).toBe(userId);
        await other.restore(change);
        expect(await other.listDisabled()).toMatchObject([{ id: 8 }]);
        expect((await issue(other, samplePerson())).userId).toBe(9);
        const again = await tryToIssue(other, person);
        expect(again).toBeNull();
        expect(await other.verifyAudit()).toMatchObject({ ok: true });
      });
    }));

  test('S-77: somebody of a store that did not go on from this one gets another id', () =>
    withStore(open, async (later) => {
      const person = samplePerson();
      const { userId } = await issue(later, person);
      await later.disableUser(userId, START + 5);
      const disabled = await later.listDisabled();
      await withStore(open, async (other) => {
        await other.restore({ ...NOBODY, disabled, lastUserId: 7, isContinued: false });
        expect(await other.listDisabled()).toMatchObject([{ id: 8 }]);
        expect((await issue(other, samplePerson())).userId).toBe(9);
      });
    }));

  test('S-76: the ids of users are listed in order, in pages', () =>
    withStore(open, async (store) => {
      for (let count = 0; count < 3; count += 1) await issue(store, samplePerson());
      await store.eraseUser({ userId: 2 as never, at: AT, pushesOf: [], keepsOut: false });
      expect(await store.listUserIds(0, 9)).toEqual([1, 3]);
      expect(await store.listUserIds(0, 1)).toEqual([1]);
      expect(await store.listUserIds(1, 9)).toEqual([3]);
      expect(await store.listUserIds(3, 9)).toEqual([]);
    }));

  test('S-88: a head of before a restore is known, one of after it that is lost is not', () =>
    withStore(open, async (store) => {
      await store.recordEvent({ at: START, action: 'service.started' });
      const head = { ...(await store.auditHead()), at: START, lastUserId: null };
      const lost = { ...head, count: 9, at: AT - 1 };
      expect([await store.knowsHead(head), await store.knowsHead(lost)]).toEqual([true, false]);
      await store.restore(NOBODY);
      expect([await store.knowsHead(head), await store.knowsHead(lost)]).toEqual([true, true]);
      expect(await store.knowsHead({ ...lost, at: AT })).toBe(false);
      expect(await store.isBehind()).toBe(false);
      await store.recordEvent({ at: AT + 1, action: 'store.behind' });
      expect(await store.isBehind()).toBe(true);
      expect([await store.knowsHead(head), await store.knowsHead(lost)]).toEqual([false, false]);
      await store.restore({ ...NOBODY, at: AT + 2 });
      expect(await store.isBehind()).toBe(false);
      expect(await store.knowsHead({ ...lost, at: AT + 1 })).toBe(true);
    }));

  test('S-131: each task has the time of its last success, and one without any has none', () =>
    withStore(open, async (store) => {
      expect(await store.lastSuccesses()).toEqual(new Map());
      await store.recordEvent({ at: START, action: 'audit.verified' });
      await store.recordEvent({ at: START + 1, action: 'service.examined' });
      await store.recordEvent({ at: START + 9, action: 'audit.verified' });
      const two = [
        ['verify', START + 9],
        ['doctor', START + 1],
      ] as const;
      expect(await store.lastSuccesses()).toEqual(new Map(two));
      await store.recordEvent({ at: START + 5, action: 'store.backed_up', detail: 'elsewhere' });
      expect(await store.lastSuccesses()).toEqual(new Map([...two, ['backup', START + 5]]));
    }));

  test('S-76: an empty store has nobody', () =>
    withStore(open, async (store) => {
      expect(await store.listDisabled()).toEqual([]);
      expect(await store.lastUserId()).toBe(0);
      expect(await store.restore({ ...NOBODY, lastUserId: 5 })).toMatchObject({ tokens: 0 });
      expect((await issue(store)).userId).toBe(6);
    }));
}

async function tryToIssue(store: Store, person = samplePerson()) {
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  await store.authenticateAttempt(authentication(attempt, { person }));
  return store.redeemAttempt(redemption(attempt, { seal: SEAL }));
}

async function issue(store: Store, person = samplePerson()) {
  const issued = await tryToIssue(store, person);
  if (issued === null) throw new Error('the redemption was refused');
  return issued;
}
