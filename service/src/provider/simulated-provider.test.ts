import { blocksInMemory, BUILT_IN_PEOPLE, defaultSettings, Engine } from '@miftah/simulator/engine';
import { describe, expect, it } from 'vitest';
import { makeAttemptId } from '../domain/attempt-id.ts';
import { parseNationalId, type NationalId } from '../domain/national-id.ts';
import type { AttemptReference } from '../ports/identity-provider.ts';
import { createSimulatedProvider } from './simulated-provider.ts';

const NOW = 1_800_000_000_000;
const EXPIRES_AT = NOW + 300_000;

/** An engine whose random digits are always these. */
function engineWith(digits = '7'): Engine {
  let uuids = 0;
  return new Engine({
    settings: defaultSettings('http://localhost'),
    people: BUILT_IN_PEOPLE,
    clock: { now: () => expect.unreachable('the time is handed in') },
    random: {
      bytes: (count) => new Uint8Array(count),
      digits: (count) => digits.padStart(count, '0').slice(-count),
      uuid: () => `00000000-0000-4000-8000-${String((uuids += 1)).padStart(12, '0')}`,
    },
    references: blocksInMemory(),
  });
}

const idOf = (text: string) => parseNationalId(text) as NationalId;

function attemptFor(nationalId: string | null, number = 0): AttemptReference {
  return {
    attemptId: makeAttemptId(NOW + number, new Uint8Array(10)),
    flow: nationalId === null ? 'oidc' : 'mfa',
    locale: 'ar',
    nationalId: nationalId === null ? null : idOf(nationalId),
    bindingCode: nationalId === null ? null : '000042',
    createdAt: NOW,
    expiresAt: EXPIRES_AT,
  };
}

describe('a push', () => {
  it('has a number of six digits, with the zeros that chance put in front', async () => {
    const provider = createSimulatedProvider(engineWith('42'));
    const attempt = attemptFor('1000001101');
    expect(await provider.requestPush(attempt)).toBe('000042');
  });
});

describe('collecting a result', () => {
  it('waits for a decision, then gives the same one each time', async () => {
    const provider = createSimulatedProvider(engineWith());
    const attempt = attemptFor(null);
    await provider.openRedirect(attempt);
    expect(await provider.collect(attempt, NOW)).toEqual({ result: 'waiting' });
    provider.decide(attempt, 'approve', 'faisal', NOW + 1);
    const first = await provider.collect(attempt, NOW + 2);
    expect(first).toMatchObject({ result: 'approved', person: { nationalId: '1000002201' } });
    expect(await provider.collect(attempt, EXPIRES_AT)).toEqual(first);
  });

  it('needs nothing that a restart forgets, but the decision', async () => {
    const attempt = attemptFor('1900000002');
    const provider = createSimulatedProvider(engineWith());
    expect(await provider.collect(attempt, NOW + 2999)).toEqual({ result: 'waiting' });
    expect(await provider.collect(attempt, NOW + 3000)).toMatchObject({ result: 'approved' });
  });

  it('gives a whole person, with the e-mail address that answers leave out', async () => {
    const provider = createSimulatedProvider(engineWith());
    const attempt = attemptFor('4000011001');
    provider.decide(attempt, 'approve', null, NOW);
    expect(await provider.collect(attempt, NOW)).toEqual({
      result: 'approved',
      person: {
        issuer: 'simulator',
        documentType: 'border',
        documentNumber: '4000011001',
        nationalId: '4000011001',
        arabicName: 'هناء يونس البيّنة',
        englishName: 'Hanae Younes El Bayyina',
        email: 'hanae@example.test',
        nationality: 'MA',
        gender: 'F',
        assuranceLevel: 1,
      },
    });
  });
});

describe('deciding', () => {
  it('keeps the first decision', async () => {
    const provider = createSimulatedProvider(engineWith());
    const attempt = attemptFor(null);
    provider.decide(attempt, 'refuse', null, NOW);
    provider.decide(attempt, 'approve', 'amal', NOW);
    expect(await provider.collect(attempt, NOW)).toEqual({
      result: 'rejected',
      reason: 'attempt.rejected',
    });
  });

  it('is not taken from somebody who is not there', async () => {
    const provider = createSimulatedProvider(engineWith());
    const attempt = attemptFor(null);
    expect(() => provider.decide(attempt, 'approve', 'nobody', NOW)).toThrow('validation.failed');
    expect(await provider.collect(attempt, NOW)).toEqual({ result: 'waiting' });
  });

  it('is the default person’s where the attempt asked for nobody who is listed', async () => {
    const provider = createSimulatedProvider(engineWith());
    for (const [number, attempt] of [attemptFor(null, 1), attemptFor('1234567890', 2)].entries()) {
      provider.decide(attempt, 'approve', null, NOW);
      const result = await provider.collect(attempt, NOW);
      expect(result, String(number)).toMatchObject({ person: { nationalId: '1000001101' } });
    }
  });
});

describe('the people', () => {
  it('are the cast of the simulator, one of them the default', () => {
    const people = createSimulatedProvider(engineWith()).people();
    expect(people.map(({ id }) => id)).toEqual(BUILT_IN_PEOPLE.all.map(({ id }) => id));
    expect(people.filter(({ isDefault }) => isDefault).map(({ id }) => id)).toEqual(['amal']);
  });

  it('are no outcomes', () => {
    const people = createSimulatedProvider(engineWith()).people();
    expect(people.some(({ nationalId }) => nationalId.startsWith('19000000'))).toBe(false);
  });
});
