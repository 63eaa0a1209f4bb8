import { describe, expect, it } from 'vitest';
import { samplePerson, sampleAttempt, START } from '../../../test/conformance/samples.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { Refusal } from '../../errors/refusal.ts';
import { SIMULATOR_RULES } from '../rules.ts';
import type { LoginResult } from '../../provider/identity-provider.port.ts';
import { createMeter } from '../../operate/metrics/meter.ts';
import { createMemoryStore } from '../../store/index.ts';
import { approveAttempt, completeAttempt } from './complete-attempt.flow.ts';
import type { SimulatorServices } from '../services.flow.ts';

const NOW = START + 1000;
const APPROVED: LoginResult = { result: 'approved', person: samplePerson() };

/** An attempt, and a provider that gives these results in turn, whatever is asked or decided. */
async function attemptWith(...results: LoginResult[]) {
  const store = createMemoryStore();
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  const collectNews = async (): Promise<LoginResult> => results.shift() ?? { result: 'waiting' };
  const simulation = { decide: collectNews };
  const meter = createMeter({ mode: 'simulator', version: '0' });
  const services = { rules: SIMULATOR_RULES, store, collectNews, simulation, meter };
  return {
    services: services as unknown as SimulatorServices,
    request: { attemptId: attempt.attemptId, flow: attempt.flow },
    stateOf: async () => (await store.findAttempt(attempt.attemptId))?.attempt,
  };
}

async function codeOf(work: Promise<unknown>): Promise<ErrorCode | null> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof Refusal ? error.code : null;
}

describe('an approval', () => {
  it('succeeds when the provider has followed it', async () => {
    const { services, request } = await attemptWith({ result: 'waiting' }, APPROVED);
    expect((await approveAttempt(services, request, NOW)).state).toBe('authenticated');
    expect((await approveAttempt(services, request, NOW)).state).toBe('authenticated');
  });

  it.each<[LoginResult, ErrorCode]>([
    [{ result: 'waiting' }, 'attempt.pending'],
    [{ result: 'rejected', reason: 'attempt.rejected' }, 'attempt.rejected'],
    [{ result: 'failed', reason: 'provider.bad_response' }, 'attempt.failed'],
  ])('is no success when the provider says: %j', async (result, code) => {
    const { services, request } = await attemptWith({ result: 'waiting' }, result);
    expect(await codeOf(approveAttempt(services, request, NOW))).toBe(code);
  });
});

it('a refusal that has had no effect is no success either', async () => {
  const { services, request, stateOf } = await attemptWith();
  const refusal = { ...request, decision: 'refuse', personId: null, completion: null } as const;
  expect(await codeOf(completeAttempt(services, refusal, NOW))).toBe('attempt.pending');
  expect((await stateOf())?.rejectedAt).toBeNull();
});
