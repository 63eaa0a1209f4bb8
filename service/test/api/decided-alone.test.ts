import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/platform/runtime.ts';
import { AMAL, cancel, startedOf, startPhone } from '../support/service/login.ts';
import { outcomeNumber } from '../support/service/outcome-number.ts';
import { openTestService, type TestService } from '../support/service/test-service.ts';
import { timeLineOf } from '../support/service/time-line.ts';

/** In plain simulator mode: what a person decides is known, though nobody reads the status. */

const FREE = { RATE_LIMITS: 'off' };

/** It takes many rounds to collect so many. */
const MANY = 100;

interface Heard {
  readonly data: {
    readonly webhooks: readonly { readonly type: string; readonly data: { attempt_id: string } }[];
  };
}

interface Row {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
}

async function listed({ app }: TestService): Promise<readonly Row[]> {
  return (await app.inject({ url: '/simulator/attempts' })).json<{ data: Row[] }>().data;
}

async function stateOf(service: TestService, { attempt_id }: { attempt_id: string }) {
  return (await listed(service)).find(({ id }) => id === attempt_id)?.state;
}

async function move({ app }: TestService, payload: object): Promise<void> {
  const answer = await app.inject({ method: 'POST', url: '/simulator/clock', payload });
  expect(answer.statusCode).toBe(200);
}

/** Refuses so many seconds after the start. */
const refusingAfter = async (service: TestService, seconds: number) =>
  startedOf(
    await service.post(
      '/start',
      { locale: 'en', national_id: AMAL },
      { 'x-simulate': `refuses;after=${seconds}` },
    ),
  );

describe('an attempt whose status nobody reads', () => {
  it('is told as its person has decided, in the list and in its time line', async () => {
    const service = await openTestService({ settings: FREE });
    const refused = await startPhone(service, outcomeNumber('refuses'));
    const approved = await startPhone(service, outcomeNumber('approves_at_once'));
    const waiting = await startPhone(service, AMAL);
    const states = () =>
      Promise.all([refused, approved, waiting].map((one) => stateOf(service, one)));
    await expect
      .poll(states, { timeout: 20_000 })
      .toEqual(['rejected', 'authenticated', 'pending']);
    const { attempt } = await timeLineOf(service, refused.attempt_id);
    expect(attempt).toMatchObject({ state: 'rejected', reason: 'attempt.rejected' });
  });

  it('is so after a restart too', async () => {
    const clock = new SystemClock();
    const parts = { clock, timekeeper: clock };
    const first = await openTestService({ settings: FREE, parts });
    const started = await refusingAfter(first, 1);
    await first.close();
    const second = await openTestService({ settings: FREE, parts, dataDir: first.dataDir });
    await expect.poll(() => stateOf(second, started), { timeout: 20_000 }).toBe('rejected');
  });

  it('is so at once where the time was moved, also past its expiry', async () => {
    const service = await openTestService({ settings: FREE });
    await move(service, { freeze: 'now' });
    const [soon, later] = [await refusingAfter(service, 5), await refusingAfter(service, 100)];
    const waiting = await startPhone(service, outcomeNumber('never_answers'));
    await move(service, { advance: '10s' });
    expect(await stateOf(service, soon)).toBe('rejected');
    expect(await stateOf(service, later)).toBe('pending');
    await move(service, { advance: '11m' });
    expect(await stateOf(service, later)).toBe('rejected');
    expect(await stateOf(service, waiting)).toBe('expired');
  });

  it('has not expired for its application while the time is moved past its decision', async () => {
    const service = await openTestService({ settings: FREE });
    const heard = async () => {
      const url = '/simulator/webhooks?timeout=0&after=0';
      return (await service.app.inject({ url })).json<Heard>();
    };
    await heard();
    await move(service, { freeze: 'now' });
    const many = Array.from({ length: MANY }, () => refusingAfter(service, 5));
    await Promise.all(many);
    let isMoved = false;
    const moving = move(service, { advance: '11m' }).then(() => (isMoved = true));
    // Whoever begins to listen has the service look at once, also for what has expired.
    const ask = async () => (await heard(), isMoved);
    await expect.poll(ask, { interval: 1 }).toBe(true);
    await moving;
    // What was written before it is sent before it.
    const last = await startPhone(service, AMAL);
    await cancel(service, last);
    const told = async () => (await heard()).data.webhooks;
    const ids = async () => (await told()).map(({ data }) => data.attempt_id);
    await expect.poll(ids).toContain(last.attempt_id);
    const types = (await told()).map(({ type }) => type);
    expect(types).toEqual(Array.from({ length: MANY + 1 }, () => 'attempt.rejected'));
  });

  it('meets no fault that a test has set for who reads it', async () => {
    const service = await openTestService({ settings: FREE });
    const rules = [{ operation: 'mfa_status', latency_ms: 1, times: 1 }];
    const url = '/simulator/faults';
    const set = await service.app.inject({ method: 'PUT', url, payload: { faults: rules } });
    expect(set.statusCode, set.payload).toBe(200);
    const refused = await startPhone(service, outcomeNumber('refuses'));
    await expect.poll(() => stateOf(service, refused), { timeout: 20_000 }).toBe('rejected');
    const answer = await service.app.inject({ url });
    expect(answer.json()).toMatchObject({ data: [{ operation: 'mfa_status', seen: 0 }] });
  });
});
