import { systemTimer } from '@miftah/simulator/platform';
import { expect, it } from 'vitest';
import type { ErrorCode } from '../../src/errors/catalogue.ts';
import { MINUTE_MS } from '../../src/values/time.ts';
import { BREAKER_LIMITS } from '../../src/provider/call/circuit-breaker.ts';
import { pushMessageOf } from '../support/provider/push-message.ts';
import { json, openAreaB } from '../support/provider/area-b.ts';
import { timerPastDeadline } from '../support/held-deadline.ts';
import { openProvider, ORDER, refusalOf } from '../support/provider/provider-under-test.ts';
import { runSimulator } from '../support/provider/simulator.ts';
import { createFakeClock } from '../support/service/fake-clock.ts';

/** `PUT /simulator/faults` as the live driver meets it over the network. */

/** How late the answer is that no call waits for. */
const LATE_MS = 2000;

interface Rule {
  readonly seen: number;
  readonly hits: number;
}

/** The driver, and a simulator of its own; each call has what it needs of an earlier one. */
async function rehearse(timer = systemTimer) {
  const clock = createFakeClock();
  const arrived = Promise.withResolvers<string>();
  const inbox = await openAreaB((call, response) => {
    json({})(call, response);
    arrived.resolve(call.body);
  });
  const simulator = await runSimulator(clock, `${inbox.url}/mfa-callback`, { timer });
  const changes: boolean[] = [];
  const { provider } = openProvider(
    simulator.url,
    { mode: 'rehearsal' },
    { clock, onBreaker: (_operation, isOpen) => changes.push(isOpen) },
  );
  const createdAt = clock.now();

  async function setFaults(...faults: object[]): Promise<readonly Rule[]> {
    const answer = await fetch(`${simulator.url}/simulator/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ faults }),
    });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { data: Rule[] }).data;
  }
  async function rules(): Promise<readonly Rule[]> {
    const answer = await fetch(`${simulator.url}/simulator/faults`);
    return ((await answer.json()) as { data: Rule[] }).data;
  }

  /** A sign-in that the person has approved. @returns what exchanges its state */
  async function approved() {
    const { launchUrl, nonce } = await provider.openSession(ORDER);
    const state = new URL(launchUrl).searchParams.get('state') ?? '';
    await simulator.answerPage(state, 'approve', 'amal');
    return async () => provider.exchange(state, { ...ORDER, nonce, createdAt });
  }

  const calls = {
    session: async () => provider.openSession(ORDER),
    mfa_request: async () => provider.requestPush({ ...ORDER }),
    mfa_status: async () => {
      const { transactionId, bindingCode } = pushed;
      return provider.pushStatus({ ...ORDER, transactionId, bindingCode });
    },
    exchange: async () => (await approved())(),
    jwk: async () => {
      const message = pushMessageOf(await arrived.promise);
      const result = await provider.verifyPush(message, { ...ORDER, ...pushed, createdAt }, null);
      if (result.result === 'unverified') throw result.refusal;
      return result;
    },
  };
  const pushed = await calls.mfa_request();
  simulator.answerPush('approve');
  return { clock, calls, approved, setFaults, rules, changes: changes.slice.bind(changes) };
}

type Operation = keyof Awaited<ReturnType<typeof rehearse>>['calls'];
type Codes = Readonly<Record<string, ErrorCode>>;

const COMMON: Codes = {
  '{"status":403}': 'provider.misconfigured',
  '{"status":429}': 'provider.unavailable',
  '{"status":500}': 'provider.unavailable',
  '{"status":502}': 'provider.unavailable',
  '{"status":503}': 'provider.unavailable',
  '{"status":504}': 'provider.unavailable',
  '{"record":"422-031-046"}': 'provider.misconfigured',
  '{"answer":"malformed"}': 'provider.bad_response',
};
/** After a cut answer it is not known whether the provider has acted, which does no harm to a read. */
const READ: Codes = { ...COMMON, '{"answer":"cut"}': 'provider.unavailable' };
const ACTION: Codes = { ...COMMON, '{"answer":"cut"}': 'provider.timeout' };

const TABLE: Readonly<Record<Operation, Codes>> = {
  session: READ,
  jwk: READ,
  mfa_request: {
    ...ACTION,
    '{"record":"422-016-023"}': 'provider.record_not_found',
    '{"record":"400-034-050"}': 'push.budget_spent',
  },
  mfa_status: ACTION,
  exchange: ACTION,
};

const OPERATIONS = Object.keys(TABLE) as Operation[];

it.each(OPERATIONS)('each fault of %s is an error of the catalogue', async (operation) => {
  const { calls, setFaults, clock } = await rehearse();
  const met: Record<string, string> = {};
  for (const fault of Object.keys(TABLE[operation])) {
    await setFaults({ operation, ...(JSON.parse(fault) as object) });
    const { code, details } = await refusalOf(calls[operation]());
    expect(JSON.stringify(details)).not.toContain(ORDER.nationalId);
    met[fault] = code;
    // Past the pauses that the driver makes after failures, and the prompts that were sent.
    clock.advance(operation === 'mfa_request' ? MINUTE_MS : BREAKER_LIMITS.probeIntervalMs);
  }
  expect(met).toEqual(TABLE[operation]);
});

it.each(OPERATIONS)('an answer of %s after the deadline is a timeout', async (operation) => {
  const { calls, setFaults } = await rehearse(timerPastDeadline(LATE_MS));
  await setFaults({ operation, latency_ms: LATE_MS });
  expect((await refusalOf(calls[operation]())).code).toBe('provider.timeout');
  await setFaults();
});

it('a state is kept for later while the keys for its token can’t be loaded', async () => {
  const { approved, setFaults, rules, clock } = await rehearse();
  const exchange = await approved();
  await setFaults(
    { operation: 'jwk', status: 503, times: 1 },
    { operation: 'exchange', latency_ms: 0 },
  );
  expect((await refusalOf(exchange())).code).toBe('provider.unavailable');
  expect(await rules()).toMatchObject([{ hits: 1 }, { seen: 0 }]);
  clock.advance(BREAKER_LIMITS.probeIntervalMs);
  await expect(exchange()).resolves.toMatchObject({ result: 'approved' });
});

it('a session is asked for twice after an outage, and a push once', async () => {
  const { calls, setFaults, rules } = await rehearse();
  await setFaults({ operation: 'session', status: 503, times: 1 });
  await calls.session();
  expect(await rules()).toMatchObject([{ seen: 2, hits: 1 }]);
  await setFaults({ operation: 'mfa_request', status: 503 });
  await refusalOf(calls.mfa_request());
  expect(await rules()).toMatchObject([{ seen: 1, hits: 1 }]);
});

it('the breaker opens after outages, and closes when they are over', async () => {
  const { calls, setFaults, rules, clock, changes } = await rehearse();
  await setFaults({ operation: 'mfa_status', status: 503 });
  const before = changes().length;
  for (let count = 0; count < BREAKER_LIMITS.outages; count += 1) {
    await refusalOf(calls.mfa_status());
  }
  expect(changes().slice(before)).toEqual([true]);
  expect((await refusalOf(calls.mfa_status())).code).toBe('provider.unavailable');
  // The last one was refused without a call, and other operations go on.
  expect(await rules()).toMatchObject([{ seen: BREAKER_LIMITS.outages }]);
  await calls.session();
  clock.advance(BREAKER_LIMITS.probeIntervalMs);
  await refusalOf(calls.mfa_status());
  expect(await rules()).toMatchObject([{ seen: BREAKER_LIMITS.outages + 1 }]);
  await setFaults();
  clock.advance(BREAKER_LIMITS.probeIntervalMs);
  await calls.mfa_status();
  expect(changes().slice(before)).toEqual([true, false]);
});

it('the same seed fails the same calls', async () => {
  const { calls, setFaults } = await rehearse();
  const runs: string[] = [];
  for (const seed of [1, 1, 2]) {
    await setFaults({ operation: 'mfa_status', status: 403, rate: 0.5, seed });
    let run = '';
    for (let count = 0; count < 12; count += 1) {
      run += await calls.mfa_status().then(
        () => '.',
        () => 'x',
      );
    }
    runs.push(run);
  }
  expect(runs).toEqual(['.x.xxxxx..x.', '.x.xxxxx..x.', 'xx..xxx...x.']);
});
