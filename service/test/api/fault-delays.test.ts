import { describe, expect, it } from 'vitest';
import type { Timer } from '../../src/platform/runtime.port.ts';
import { until } from '../support/programs/until.ts';
import { AMAL, expectProblem, startedOf, statusOf } from '../support/service/login.ts';
import { setFaults } from '../support/service/set-faults.ts';
import { openTestService, type Answer, type TestService } from '../support/service/test-service.ts';

/** Delays of `PUT /simulator/faults` in plain mode, where no call is made that could be late. */

const start = (service: TestService, body: object) =>
  service.post('/start', { locale: 'en', ...body });

/** Ends each wait when the test says so. */
class TestTimer implements Timer {
  readonly waits: number[] = [];
  readonly cancelled: number[] = [];
  readonly #asleep: (() => void)[] = [];

  after(ms: number, work: () => void): () => void {
    this.waits.push(ms);
    this.#asleep.push(work);
    return () => void this.cancelled.push(ms);
  }

  wake(): void {
    for (const work of this.#asleep.splice(0)) work();
  }
}

/** Plain mode with a timer of the test. */
async function openHeld() {
  const timer = new TestTimer();
  const service = await openTestService({ settings: { RATE_LIMITS: 'off' }, parts: { timer } });
  const held = async (answer: Promise<Answer>, ms: number) => {
    await until(() => timer.waits.includes(ms));
    timer.wake();
    return answer;
  };
  return { service, timer, held };
}

describe('a delay in plain mode', () => {
  it('is waited for before the start is answered', async () => {
    const { service, held } = await openHeld();
    await setFaults(service, { operation: 'session', latency_ms: 1234 });
    startedOf(await held(start(service, {}), 1234));
  });

  it('is a timeout where the live driver would give up, after as long', async () => {
    const { service, held } = await openHeld();
    await setFaults(service, { operation: 'mfa_request', latency_ms: 9000 });
    expectProblem(await held(start(service, { national_id: AMAL }), 5000), 'provider.timeout');
  });

  it('holds up nobody else, and ends when the service stops', async () => {
    const { service, timer } = await openHeld();
    await setFaults(service, { operation: 'session', latency_ms: 4321 });
    const slow = start(service, {});
    await until(() => timer.waits.includes(4321));
    const started = startedOf(await start(service, { national_id: AMAL }));
    expect(await statusOf(service, started)).toBe('pending');
    const closing = service.close();
    try {
      await expect.poll(() => timer.cancelled).toContain(4321);
    } finally {
      timer.wake();
    }
    expect((await slow).statusCode).toBe(200);
    await closing;
  });

  it('of the status is waited for by whoever reads it', async () => {
    const { service, held } = await openHeld();
    const started = startedOf(await start(service, { national_id: '1900000001' }));
    await setFaults(service, { operation: 'mfa_status', latency_ms: 777 });
    const { attempt_id, attempt_token } = started;
    const read = service.get(`/status/${attempt_id}`, {
      'x-provider-attempt-token': attempt_token,
    });
    expect((await held(read, 777)).json()).toMatchObject({ data: { status: 'authenticated' } });
  });
});
