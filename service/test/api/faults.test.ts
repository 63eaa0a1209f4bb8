import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/errors/catalogue.ts';
import { ledTo } from '../support/led-to.ts';
import { until } from '../support/programs/until.ts';
import {
  AMAL,
  complete,
  expectProblem,
  issuedOf,
  postSignIn,
  redeem,
  startedOf,
  startPhone,
  startRedirect,
  statusOf,
} from '../support/service/login.ts';
import { faultsOf, setFaults } from '../support/service/set-faults.ts';
import {
  decide,
  KEY,
  launchAndDecide,
  startStrict,
  STRICT,
} from '../support/service/strict-login.ts';
import { shareService, type Answer, type TestService } from '../support/service/test-service.ts';

/**
 * `PUT /simulator/faults` as an application meets it through area A: with the engine in this process,
 * and with the driver of live mode (STRICT=yes).
 */

const plain = shareService();
const strict = shareService(STRICT);
const MODES = [
  ['plain', plain],
  ['strict', strict],
] as const;

const DOWN = { status: 503 };
const FAULTS: readonly (readonly [fault: object, code: ErrorCode])[] = [
  [{ status: 403 }, 'provider.misconfigured'],
  [{ status: 429 }, 'provider.unavailable'],
  [{ status: 500 }, 'provider.unavailable'],
  [{ status: 502 }, 'provider.unavailable'],
  [DOWN, 'provider.unavailable'],
  [{ status: 504 }, 'provider.unavailable'],
  [{ record: '422-031-046' }, 'provider.misconfigured'],
  [{ answer: 'malformed' }, 'provider.bad_response'],
];

/** Starts in either mode, by phone if there is somebody to ask. */
function start(service: TestService, body: object): Promise<Answer> {
  return service.post('/start', { locale: 'en', ...body }, KEY);
}

describe.each(MODES)('a start in %s mode', (_name, shared) => {
  const SESSION: typeof FAULTS = [...FAULTS, [{ answer: 'cut' }, 'provider.unavailable']];
  const PUSH: typeof FAULTS = [
    ...FAULTS,
    [{ answer: 'cut' }, 'provider.timeout'],
    [{ record: '422-016-023' }, 'provider.record_not_found'],
    [{ record: '400-034-050' }, 'push.budget_spent'],
  ];

  it.each(SESSION)(
    'by browser that meets %o: %s, and the next one goes on',
    async (fault, code) => {
      await setFaults(shared(), { operation: 'session', ...fault });
      const answer = await start(shared(), {});
      const problem = expectProblem(answer, code);
      expect(JSON.stringify(problem)).not.toMatch(/attempt_token|html/);
      await setFaults(shared());
      startedOf(await start(shared(), {}));
    },
  );

  it.each(PUSH)('by phone that meets %o: %s, and the next one goes on', async (fault, code) => {
    await setFaults(shared(), { operation: 'mfa_request', ...fault });
    expectProblem(await start(shared(), { national_id: AMAL }), code);
    // Nobody is asked for the attempt that was refused: a cut answer may leave its prompt.
    await setFaults(shared(), { operation: 'session', ...DOWN });
    startedOf(await start(shared(), { national_id: '1000002201' }));
    await setFaults(shared());
    const started = startedOf(await start(shared(), { national_id: '1900000001' }));
    await until(async () => (await statusOf(shared(), started)) === 'authenticated');
  });

  it('has the same faults for the same seed, in the same order', async () => {
    const rule = { operation: 'mfa_request', status: 500, rate: 0.5, seed: 1 };
    const runs = [];
    for (const _ of ['first', 'second']) {
      await setFaults(shared(), rule);
      const codes = [];
      for (let count = 0; count < 4; count += 1) {
        codes.push((await start(shared(), { national_id: '1900000001' })).statusCode);
      }
      runs.push(codes);
    }
    expect(runs).toEqual([
      [200, 503, 200, 503],
      [200, 503, 200, 503],
    ]);
    expect(await faultsOf(shared())).toMatchObject([{ seed: 1, seen: 4, hits: 2 }]);
    await setFaults(shared());
  });
});

describe('a status of a push that meets a fault', () => {
  const ALL = [...FAULTS.map(([fault]) => fault), { answer: 'cut' }, { record: '400-034-053' }];

  it.each(ALL)('says what was known before, in plain mode: %o', async (fault: object) => {
    const started = await startPhone(plain());
    await setFaults(plain(), { operation: 'mfa_status', ...fault });
    expect(await statusOf(plain(), started)).toBe('pending');
    expect((await complete(plain(), started)).statusCode).toBe(200);
    expect(await statusOf(plain(), started)).toBe('authenticated');
    await setFaults(plain());
  });

  it.each(ALL)('says what was known before, in strict mode: %o', async (fault: object) => {
    await setFaults(strict(), { operation: 'mfa_status', ...fault });
    const started = await startStrict(strict(), { national_id: AMAL });
    expect(await statusOf(strict(), started)).toBe('pending');
    await decide(strict(), started);
    // The signed result says it, whatever the status does.
    await until(async () => (await statusOf(strict(), started)) === 'authenticated');
    expect(issuedOf(await redeem(strict(), started, {}, KEY)).user.national_id).toBe(AMAL);
    await setFaults(strict());
  });
});

/** How an attempt ends whose exchange meets a fault; null: it waits, and can be tried again. */
const EXCHANGES: readonly (readonly [fault: object, ends: string | null])[] = [
  [{ status: 403 }, 'failed'],
  [{ status: 429 }, null],
  [{ status: 500 }, null],
  [DOWN, null],
  [{ record: '422-031-046' }, 'failed'],
  [{ record: '401-033-024' }, 'rejected'],
  [{ answer: 'malformed' }, 'failed'],
  [{ answer: 'cut' }, 'failed'],
];

describe('an exchange that meets a fault', () => {
  it.each(EXCHANGES)('in plain mode, %o: %s', async (fault, ends) => {
    const service = plain();
    const started = await startRedirect(service);
    await setFaults(service, { operation: 'exchange', ...fault });
    const code = ends === null ? 'provider.unavailable' : (`attempt.${ends}` as ErrorCode);
    expectProblem(await complete(service, started), code);
    expect(await statusOf(service, started)).toBe(ends ?? 'pending');
    await setFaults(service);
    const again = await complete(service, started);
    expect(again.statusCode).toBe(ends === null ? 200 : 409);
    expect(await statusOf(service, started)).toBe(ends ?? 'authenticated');
  });

  it.each(EXCHANGES)('in strict mode, %o: %s', async (fault, ends) => {
    const service = strict();
    const started = await startStrict(service);
    const comeBack = await launchAndDecide(service, started);
    await setFaults(service, { operation: 'exchange', ...fault });
    const { statusCode, headers } = await comeBack();
    const location = String(headers.location);
    expect(location).not.toContain('completion_code');
    if (ends === 'rejected') expect(location).toContain('error=access_denied');
    else expect(statusCode).toBeGreaterThanOrEqual(500);
    expect(await statusOf(service, started)).toBe(ends ?? 'pending');
    await setFaults(service);
    const again = String((await comeBack()).headers.location);
    expect(again.includes('completion_code')).toBe(ends === null);
    expect(await statusOf(service, started)).toBe(ends ?? 'authenticated');
  });

  it('leaves a decision of the control API to be made again', async () => {
    const service = plain();
    const started = await startRedirect(service);
    const url = `/simulator/prompts/${started.attempt_id}/decision`;
    const approve = () =>
      service.app.inject({ method: 'POST', url, payload: { decision: 'approve' } });
    await setFaults(service, { operation: 'exchange', status: 503, times: 1 });
    const refused = await approve();
    expect(refused.statusCode).toBe(503);
    expect(refused.json()).toMatchObject({ code: 'provider.unavailable' });
    expect(await statusOf(service, started)).toBe('pending');
    expect((await approve()).statusCode).toBe(200);
    expect(await statusOf(service, started)).toBe('authenticated');
    await setFaults(service);
  });

  it('is shown on a page to the browser, which can send the form again', async () => {
    const service = plain();
    const { attempt_id: state } = await startRedirect(service);
    await setFaults(service, { operation: 'exchange', status: 503, times: 1 });
    const form = { state, decision: 'approve', person: 'amal' };
    expect((await postSignIn(service, form)).statusCode).toBe(503);
    const again = await postSignIn(service, form);
    expect(ledTo(again.headers)).toContain('completion_code');
    await setFaults(service);
  });
});

describe('faults of the answer that never comes in time', () => {
  it.each([{ operation: 'session' }, { operation: 'mfa_request' }])(
    '%o is provider.timeout in plain mode, at once',
    async ({ operation }) => {
      await setFaults(plain(), { operation, answer: 'timeout' });
      const body = operation === 'session' ? {} : { national_id: AMAL };
      expectProblem(await start(plain(), body), 'provider.timeout');
      await setFaults(plain());
    },
  );
});

describe('callers at the same time', () => {
  it.each(MODES)('share the count of a rule, in %s mode', async (_name, shared) => {
    const service = shared();
    await setFaults(service, { operation: 'mfa_request', status: 403, rate: 0.5, seed: 1 });
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => start(service, { national_id: '1900000001' })),
    );
    const refused = answers.filter(({ statusCode }) => statusCode !== 200).length;
    expect(refused).toBe('.x.xxxxx..x.'.replaceAll('.', '').length);
    expect(await faultsOf(service)).toMatchObject([{ seen: 12, hits: refused }]);
    await setFaults(service);
  });
});
