import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import type { BegunFor, OpenidRecord, Store } from '../../src/store/ports/store.port.ts';
import type { AttemptId } from '../../src/values/ids.ts';
import { opening, sampleAttempt } from './samples.ts';
import { foundOf, sampleRecord } from './store-openid.ts';
import { useStore, type OpenStore } from './store-under-test.ts';

const RACERS = 12;

/** Each looks whether the attempt, or its transaction, is there just when the record is linked. */
const BEGINNINGS: readonly [string, Begin][] = [
  [
    'by its first write',
    async (store, attempt, begunFor) => {
      const isBegun = await store.insertAttempt(attempt, begunFor);
      expect((await store.findAttempt(attempt.attemptId)) !== null).toBe(isBegun);
      return isBegun;
    },
  ],
  [
    'by the answer of a provider',
    async (store, attempt, begunFor) => {
      await store.insertAttempt(attempt);
      const opened = await store.openTransaction({ ...opening(attempt), begunFor });
      const transaction = await store.findTransaction(attempt.attemptId);
      expect(transaction?.attempt ?? null).toEqual(opened);
      return opened !== null;
    },
  ],
];

type Begin = (store: Store, attempt: AttemptRecord, begunFor: BegunFor) => Promise<boolean>;

const linkOf = ({ model, id }: OpenidRecord, from: AttemptId | null) => ({ model, id, from });

export function openidBegunTests(open: OpenStore): void {
  const store = useStore(open);

  test.each(BEGINNINGS)(
    'S-123: of many attempts at once for one record one is begun, and finds it: %s',
    async (_, begin) => {
      const record = sampleRecord();
      await store().putOpenid(record);
      const attempts = Array.from({ length: RACERS }, () => sampleAttempt());
      const begun = await Promise.all(
        attempts.map((attempt) => begin(store(), attempt, linkOf(record, null))),
      );
      expect(begun.filter(Boolean)).toHaveLength(1);
      const { attemptId } = attempts[begun.indexOf(true)] ?? {};
      if (attemptId === undefined) throw new Error('one of them is begun');
      expect(await store().openidOfAttempt(attemptId)).toEqual({ ...foundOf(record), attemptId });
      const next = sampleAttempt();
      expect(await begin(store(), sampleAttempt(), linkOf(record, null))).toBe(false);
      expect(await begin(store(), next, linkOf(record, attemptId))).toBe(true);
      expect(await store().openidOfAttempt(attemptId)).toBeNull();
      expect(await store().openidOfAttempt(next.attemptId)).not.toBeNull();
      expect(await begin(store(), sampleAttempt(), linkOf(sampleRecord(), null))).toBe(false);
    },
  );

  test.each(BEGINNINGS)(
    'S-123: a record is written with the attempt that is begun for it: %s',
    async (_, begin) => {
      const attempt = sampleAttempt();
      const { attemptId } = attempt;
      const record = sampleRecord({ grant: null });
      expect(await begin(store(), attempt, record)).toBe(true);
      expect(await store().openidOfAttempt(attemptId)).toEqual({ ...foundOf(record), attemptId });
      expect(await store().findOpenid(record)).toEqual({ ...foundOf(record), attemptId });
    },
  );
}
