import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CALL_CONTENT_MAX_LENGTH,
  CALLS_KEPT,
  REDACTED,
  type CallContent,
  type ProviderCall,
} from '../../src/attempt/provider-call.ts';
import { sampleAttempt, sampleCall, START, storableText } from './samples.ts';
import { useStore, withStore, type OpenStore } from './store-under-test.ts';

const name = storableText(20).filter((text) => text !== '__proto__');
const number = fc.option(fc.nat());
const value = fc.oneof(storableText(40), fc.integer(), fc.constant(null));
const content: fc.Arbitrary<CallContent> = fc.oneof(
  fc.constantFrom(null, REDACTED),
  fc.dictionary(name, value, { noNullPrototype: true }),
);

const calls: fc.Arbitrary<Omit<ProviderCall, 'requestId'>> = fc.record({
  at: fc.nat(),
  operation: fc.constantFrom('session', 'push'),
  query: fc.dictionary(name, name, { noNullPrototype: true }),
  body: content,
  status: number,
  answer: content,
  reference: number,
  refusal: fc.constantFrom(null, 'provider.timeout'),
  durationMs: fc.nat(),
});

export function callTests(open: OpenStore): void {
  const store = useStore(open);

  test('S-90: calls come back as they were recorded, in their order', () =>
    fc.assert(
      fc.asyncProperty(fc.array(calls, { maxLength: 4 }), async (some) => {
        const attempt = sampleAttempt();
        await store().insertAttempt(attempt);
        const own = some.map((one) => ({ ...one, requestId: attempt.attemptId }));
        for (const one of own) await store().recordCall(one);
        expect(await store().listCalls(attempt.attemptId)).toEqual(own);
      }),
      { numRuns: 40 },
    ));

  test('S-90: a call of no attempt, or of one that is not there, is not kept', async () => {
    const { attemptId } = sampleAttempt();
    for (const requestId of [null, attemptId, REDACTED]) {
      await store().recordCall(sampleCall(requestId));
    }
    expect(await store().listCalls(attemptId)).toEqual([]);
  });

  test('S-91: the latest are kept, of each attempt by itself', async () => {
    const [busy, quiet] = [sampleAttempt(), sampleAttempt()];
    for (const one of [quiet, busy]) await store().insertAttempt(one);
    await store().recordCall(sampleCall(quiet.attemptId));
    const times = Array.from({ length: CALLS_KEPT + 30 }, (_, index) => START + index);
    await Promise.all(times.map((at) => store().recordCall({ ...sampleCall(busy.attemptId), at })));
    const later = [7, 3, 5].map((add) => times.length + START + add);
    for (const at of later) await store().recordCall({ ...sampleCall(busy.attemptId), at });
    const kept = (await store().listCalls(busy.attemptId)).map(({ at }) => at);
    expect(kept).toHaveLength(CALLS_KEPT);
    expect(kept.slice(-later.length)).toEqual(later);
    expect(new Set(kept).difference(new Set([...times, ...later])).size).toBe(0);
    expect(new Set(kept).size).toBe(CALLS_KEPT);
    expect(await store().listCalls(quiet.attemptId)).toHaveLength(1);
  });

  test('S-91: what is too long is replaced, up to the last character that is not', async () => {
    const { attemptId } = sampleAttempt();
    await store().insertAttempt(sampleAttempt({ attemptId }));
    const fits = { x: 'x'.repeat(CALL_CONTENT_MAX_LENGTH - '{"x":""}'.length) };
    const tooLong = { x: `${fits.x}x` };
    const base = sampleCall(attemptId);
    await store().recordCall({ ...base, query: fits, body: fits, answer: fits });
    await store().recordCall({ ...base, query: tooLong, body: tooLong, answer: tooLong });
    const query = { [REDACTED]: REDACTED };
    expect(await store().listCalls(attemptId)).toEqual([
      { ...base, query: fits, body: fits, answer: fits },
      { ...base, query, body: REDACTED, answer: REDACTED },
    ]);
  });

  test('S-92: they go with their attempt', () =>
    withStore(open, async (own) => {
      const attempt = sampleAttempt();
      await own.insertAttempt(attempt);
      await own.recordCall(sampleCall(attempt.attemptId));
      const bounds = { expiredBefore: START * 2, redeemedBefore: 0, limit: 10 };
      expect(await own.purge(bounds)).toMatchObject({ attempts: 1 });
      await own.insertAttempt(attempt);
      expect(await own.listCalls(attempt.attemptId)).toEqual([]);
    }));
}
