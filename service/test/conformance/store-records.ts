import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_ATTEMPT_ID } from '../../src/values/ids.ts';
import { attemptTokenDigest, type AttemptRecord } from '../../src/attempt/attempt.ts';
import { FLOWS } from '../../src/attempt/flow.ts';
import { LOCALES } from '../../src/values/locale.ts';
import type { Scenario } from '../../src/attempt/scenario.ts';
import {
  attemptNumbered,
  authentication,
  nextSerial,
  sampleAttempt,
  START,
  storableText,
} from './samples.ts';
import { useStore, type OpenStore } from './store-under-test.ts';

const text = storableText(80);
const time = fc.integer({ min: 0, max: START * 2 });

const scenario: fc.Arbitrary<Scenario> = fc.record({
  scope: fc.stringMatching(/^[a-z0-9-]{1,64}$/),
  outcome: fc.option(
    fc.record({
      key: fc.stringMatching(/^[a-z0-9_]{1,40}$/),
      afterMs: fc.option(
        fc.integer({ min: 0, max: 300 }).map((seconds) => seconds * 1000),
        {
          nil: null,
        },
      ),
    }),
    { nil: null },
  ),
});

const startedAttempts: fc.Arbitrary<Partial<AttemptRecord>> = fc.record({
  flow: fc.constantFrom(...FLOWS),
  client: text,
  locale: fc.constantFrom(...LOCALES),
  bindingCode: fc.option(text, { nil: null }),
  returnAddress: fc.option(text, { nil: null }),
  nationalId: fc.constantFrom(null, sampleAttempt().nationalId),
  createdAt: time,
  expiresAt: time,
  providerExpiresAt: fc.option(time, { nil: null }),
  tokenDigest: text.map((token) => attemptTokenDigest(token)),
  scenario: fc.option(scenario, { nil: null }),
});

export function recordTests(open: OpenStore): void {
  const store = useStore(open);

  test('S-11: an attempt comes back exactly as it was written', () =>
    fc.assert(
      fc.asyncProperty(startedAttempts, async (fields) => {
        const attempt = { ...attemptNumbered(nextSerial()), ...fields };
        await store().insertAttempt(attempt);
        expect(await store().findAttempt(attempt.attemptId)).toEqual({ attempt, user: null });
      }),
    ));

  test('S-11: an unknown id finds nothing', async () => {
    expect(await store().findAttempt(sampleAttempt().attemptId)).toBeNull();
  });

  test('S-18: an attempt is found with its own token, and with its user once there is one', async () => {
    const attempt = sampleAttempt();
    const { attemptId, tokenDigest } = attempt;
    await store().insertAttempt(attempt);
    expect(await store().findProvenAttempt(attemptId, tokenDigest)).toEqual({
      attempt,
      user: null,
    });
    await store().authenticateAttempt(authentication(attempt));
    const found = await store().findProvenAttempt(attemptId, tokenDigest);
    expect(found?.user).not.toBeNull();
    expect(found).toEqual(await store().findAttempt(attemptId));
  });

  test('S-18: neither a token of another attempt nor an unknown id finds anything', async () => {
    const [one, other, unknown] = [sampleAttempt(), sampleAttempt(), sampleAttempt()];
    await store().insertAttempt(one);
    await store().insertAttempt(other);
    expect(await store().findProvenAttempt(one.attemptId, other.tokenDigest)).toBeNull();
    expect(await store().findProvenAttempt(unknown.attemptId, one.tokenDigest)).toBeNull();
    expect(await store().findProvenAttempt(NO_ATTEMPT_ID, one.tokenDigest)).toBeNull();
  });

  test('S-10: an id that exists is rejected, and the row stays as it was', async () => {
    const attempt = sampleAttempt();
    await store().insertAttempt(attempt);
    const other = { ...attempt, client: 'another' };
    await expect(store().insertAttempt(other)).rejects.toThrow(Error);
    expect(await store().findAttempt(attempt.attemptId)).toEqual({ attempt, user: null });
  });

  test('S-3: of many inserts of one id at once one happens, whole', async () => {
    const attempt = sampleAttempt();
    const clients = Array.from({ length: 64 }, (_, index) => `client ${index}`);
    const inserts = clients.map((client) => store().insertAttempt({ ...attempt, client }));
    const outcomes = await Promise.allSettled(inserts);
    const winners = clients.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    const found = await store().findAttempt(attempt.attemptId);
    expect(found?.attempt).toEqual({ ...attempt, client: winners[0] });
  });

  test('S-2: a read sees what was written before it began', async () => {
    for (let round = 0; round < 50; round += 1) {
      const attempt = sampleAttempt();
      await store().insertAttempt(attempt);
      expect((await store().findAttempt(attempt.attemptId))?.attempt).toEqual(attempt);
    }
  });
}
