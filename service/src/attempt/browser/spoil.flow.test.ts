import { expect, it } from 'vitest';
import {
  authentication,
  opening,
  redirectTransaction,
  sampleAttempt,
  START,
} from '../../../test/conformance/samples.ts';
import { ATTEMPT_LIFETIME_MS } from '../attempt.ts';
import { Refusal } from '../../errors/refusal.ts';
import { stateDigest } from '../provider-transaction.ts';
import { createMemoryStore } from '../../store/index.ts';
import { HeldSpoils, type LiveServices } from '../services.flow.ts';
import { findByState, isSpoiled, spoilByState, writeHeldSpoils } from './spoil.flow.ts';

const STATE = 'a+state/of=the provider';
const NOW = START + 2;

const unavailable = () => Promise.reject(new Refusal('storage.unavailable'));

async function launchedAttempt() {
  const store = createMemoryStore();
  const heldSpoils = new HeldSpoils();
  const services = { store, heldSpoils } as unknown as LiveServices;
  const attempt = sampleAttempt({ flow: 'oidc' });
  await store.insertAttempt(attempt);
  const state = stateDigest(STATE.replaceAll(' ', '+'));
  const transaction = redirectTransaction({ stateDigest: state });
  await store.openTransaction(opening(attempt, { transaction, providerExpiresAt: null }));
  return { store, heldSpoils, services, attempt };
}

it('by its state alone an attempt is spoiled, whatever became of the plus signs', async () => {
  const { store, heldSpoils, services, attempt } = await launchedAttempt();
  await spoilByState(services, STATE.replaceAll('+', ' '), NOW);
  const found = await store.findTransaction(attempt.attemptId);
  expect(found?.transaction).toMatchObject({ spoiledAt: NOW, launchUrl: null });
  expect(await store.authenticateAttempt(authentication(attempt))).toBeNull();
  expect(heldSpoils.has(attempt.attemptId)).toBe(false);
});

it('an unknown state and an attempt that has ended are left alone', async () => {
  const { store, services, attempt } = await launchedAttempt();
  await spoilByState(services, 'nobody’s', NOW);
  await spoilByState(services, '', NOW);
  await spoilByState(services, STATE, attempt.expiresAt);
  const found = await store.findTransaction(attempt.attemptId);
  expect(found?.transaction).toMatchObject({ spoiledAt: null });
});

it('what the store does not take is held as long as the attempt can be open', async () => {
  const { store, heldSpoils, services, attempt } = await launchedAttempt();
  store.spoilAttempt = unavailable;
  await spoilByState(services, STATE, NOW);
  expect(heldSpoils.has(attempt.attemptId)).toBe(true);
  const found = await findByState(services, STATE.replaceAll(' ', '+'));
  expect(found !== null && isSpoiled(services, found)).toBe(true);
  heldSpoils.hold(sampleAttempt(), NOW + ATTEMPT_LIFETIME_MS - 1);
  expect(heldSpoils.has(attempt.attemptId)).toBe(true);
  heldSpoils.hold(sampleAttempt(), NOW + ATTEMPT_LIFETIME_MS);
  expect(heldSpoils.has(attempt.attemptId)).toBe(false);
});

it('what the store did not take is written again until it does, one call after the other', async () => {
  const { store, heldSpoils, services, attempt } = await launchedAttempt();
  const others = [sampleAttempt(), sampleAttempt()];
  const real = { ...store };
  const tried: string[] = [];
  let isAway = true;
  store.spoilAttempt = (attemptId, at) => {
    tried.push(attemptId);
    return isAway ? unavailable() : real.spoilAttempt(attemptId, at);
  };
  await spoilByState(services, STATE, NOW);
  for (const other of others) heldSpoils.hold(other, NOW);
  // One that can't be written is not tried again before the others.
  for (let round = 0; round < 3; round += 1) await writeHeldSpoils(services, NOW + 1);
  const ids = [attempt, ...others].map(({ attemptId }) => attemptId);
  expect(tried).toEqual([attempt.attemptId, ...ids]);
  isAway = false;
  await writeHeldSpoils(services, NOW + 2);
  const found = await store.findTransaction(attempt.attemptId);
  expect(found?.transaction).toMatchObject({ spoiledAt: NOW + 2 });
  expect(heldSpoils.unwritten(NOW + 2)).toEqual([]);
  expect(tried).toHaveLength(7);
});

it('a mark that was never written is not tried after the end of its attempt', async () => {
  const { store, heldSpoils, services } = await launchedAttempt();
  store.spoilAttempt = unavailable;
  await spoilByState(services, STATE, NOW);
  expect(heldSpoils.unwritten(NOW + ATTEMPT_LIFETIME_MS - 1)).toHaveLength(1);
  expect(heldSpoils.unwritten(NOW + ATTEMPT_LIFETIME_MS)).toEqual([]);
});
