import { blocksInMemory, BUILT_IN_PEOPLE, defaultSettings, Engine } from '@miftah/simulator/engine';
import { describe, expect, it } from 'vitest';
import { makeAttemptId } from '../values/ids.ts';
import { parseNationalId, type NationalId } from '../account/user.ts';
import type { AttemptReference } from '../provider/identity-provider.port.ts';
import type { Timer } from '../platform/runtime.port.ts';
import { createMemoryCoordination } from '../platform/coordination/memory-coordination.ts';
import { createSimulatedProvider } from './simulated-provider.ts';

const NOW = 1_800_000_000_000;
const EXPIRES_AT = NOW + 300_000;
/** Nothing is waited for. */
const NEVER: Timer = { after: () => expect.unreachable('nobody waits') };

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

/** A provider of an instance that shares its notes with those of other calls with the same ones. */
const providerWith = (engine: Engine, notes = createMemoryCoordination().notes) =>
  createSimulatedProvider(engine, notes, NEVER);

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
    scenario: null,
  };
}

describe('a push', () => {
  it('has a number of six digits, with the zeros that chance put in front', async () => {
    const provider = providerWith(engineWith('42'));
    const attempt = attemptFor('1000001101');
    expect((await provider.requestPush(attempt)).bindingCode).toBe('000042');
  });
});

describe('collecting a result', () => {
  it('waits for a decision, whose result is for the caller to store', async () => {
    const provider = providerWith(engineWith());
    const attempt = attemptFor(null);
    await provider.openRedirect(attempt);
    expect(await provider.collect(attempt, NOW)).toEqual({ result: 'waiting' });
    const result = await provider.decide(attempt, 'approve', 'faisal', NOW + 1);
    expect(result).toMatchObject({ result: 'approved', person: { nationalId: '1000002201' } });
  });

  it('needs nothing that a restart forgets', async () => {
    const attempt = attemptFor('1900000002');
    const provider = providerWith(engineWith());
    expect(await provider.collect(attempt, NOW + 2999)).toEqual({ result: 'waiting' });
    expect(await provider.collect(attempt, NOW + 3000)).toMatchObject({ result: 'approved' });
  });

  it('gives a whole person, with the e-mail address that answers leave out', async () => {
    const provider = providerWith(engineWith());
    const attempt = attemptFor('4000011001');
    expect(await provider.decide(attempt, 'approve', null, NOW)).toEqual({
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
        birthDate: '1988-10-17',
      },
    });
  });
});

describe('deciding', () => {
  /** The number of somebody whose signed result comes ten seconds after the approval. */
  const LATE = 'outcome-43';

  it('is kept for every instance while its result is not there', async () => {
    const { notes } = createMemoryCoordination();
    const [one, other] = [providerWith(engineWith(), notes), providerWith(engineWith(), notes)];
    const attempt = attemptFor('1234567890');
    expect(await other.collect(attempt, NOW)).toEqual({ result: 'waiting' });
    expect(await one.decide(attempt, 'approve', LATE, NOW)).toEqual({ result: 'waiting' });
    expect(await other.collect(attempt, NOW + 9999)).toEqual({ result: 'waiting' });
    expect(await other.collect(attempt, NOW + 10_000)).toMatchObject({ result: 'approved' });
  });

  it('that is kept counts, and a later one at another instance does not', async () => {
    const { notes } = createMemoryCoordination();
    const [one, other] = [providerWith(engineWith(), notes), providerWith(engineWith(), notes)];
    const attempt = attemptFor('1234567890');
    await one.decide(attempt, 'approve', LATE, NOW);
    expect(await other.decide(attempt, 'refuse', null, NOW)).toEqual({ result: 'waiting' });
    expect(await one.collect(attempt, NOW + 10_000)).toMatchObject({ result: 'approved' });
  });

  it('of two at once is the one that was kept first', async () => {
    const { notes } = createMemoryCoordination();
    const [one, other] = [providerWith(engineWith(), notes), providerWith(engineWith(), notes)];
    const attempt = attemptFor('1234567890');
    const choice = { decision: 'approve', personId: LATE } as const;
    const both = await Promise.all([
      one.decidePrompt(attempt, choice, NOW),
      other.decidePrompt(attempt, choice, NOW),
    ]);
    expect(both.filter(({ decided }) => decided.ok)).toHaveLength(1);
  });

  it('to ignore a prompt is kept: what was planned for it does not happen', async () => {
    const provider = providerWith(engineWith());
    const attempt = attemptFor('1900000002');
    await provider.decidePrompt(attempt, { decision: 'ignore' }, NOW);
    expect(await provider.collect(attempt, NOW + 3000)).toEqual({ result: 'waiting' });
    const later = NOW + 4000;
    expect(await provider.decide(attempt, 'refuse', null, later)).toMatchObject({
      result: 'rejected',
    });
  });

  it('is not taken from somebody who is not there', async () => {
    const provider = providerWith(engineWith());
    const attempt = attemptFor(null);
    const decided = provider.decide(attempt, 'approve', 'nobody', NOW);
    await expect(decided).rejects.toThrow('validation.failed');
    expect(await provider.collect(attempt, NOW)).toEqual({ result: 'waiting' });
  });

  it('is the default person’s where the attempt asked for nobody who is listed', async () => {
    const provider = providerWith(engineWith());
    for (const [number, attempt] of [attemptFor(null, 1), attemptFor('1234567890', 2)].entries()) {
      const result = await provider.decide(attempt, 'approve', null, NOW);
      expect(result, String(number)).toMatchObject({ person: { nationalId: '1000001101' } });
    }
  });
});

describe('the people', () => {
  it('are the cast of the simulator, one of them the default', () => {
    const people = providerWith(engineWith()).people({ limit: 100 });
    expect(people.map(({ id }) => id)).toEqual(BUILT_IN_PEOPLE.all.map(({ id }) => id));
    expect(people.filter(({ isDefault }) => isDefault).map(({ id }) => id)).toEqual(['amal']);
  });

  it('are no outcomes', () => {
    const people = providerWith(engineWith()).people({ limit: 100 });
    expect(people.some(({ nationalId }) => nationalId.startsWith('19000000'))).toBe(false);
  });
});
