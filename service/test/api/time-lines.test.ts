import { describe, expect, it } from 'vitest';
import {
  AMAL,
  approveInBrowser,
  complete,
  readStatus,
  redeem,
  startPhone,
  startRedirect,
  type Started,
} from '../support/service/login.ts';
import {
  decide,
  KEY,
  launchAndDecide,
  startStrict,
  STRICT,
} from '../support/service/strict-login.ts';
import {
  openTestService,
  shareService,
  type TestService,
} from '../support/service/test-service.ts';
import { stepsOf, timeLineOf, type TimeLine } from '../support/service/time-line.ts';

/** The time line of a sign-in that the service has done, over the control API. */

const plain = shareService();
const strict = shareService(STRICT);

const codeIn = (address: unknown) =>
  new URL(String(address)).searchParams.get('completion_code') ?? '';

/** Each entry has a number of its own, they are in order, and none took less than no time. */
function expectInOrder({ entries }: TimeLine): void {
  const numbers = entries.map(({ number }) => number).toSorted((one, other) => one - other);
  expect(numbers).toEqual(entries.map((_, index) => index + 1));
  const times = entries.map(({ at }) => Date.parse(at));
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  for (const { exchange } of entries) {
    if (exchange !== null) expect(exchange.duration_ms).toBeGreaterThanOrEqual(0);
  }
}

function expectNoSecret({ text }: TimeLine, { attempt_token }: Started, ...others: string[]): void {
  for (const secret of [attempt_token, ...others]) {
    expect(secret.length).toBeGreaterThan(20);
    expect(text).not.toContain(secret);
  }
  expect(text).not.toMatch(/mft_test_\w/);
  expect(text).not.toContain('mfk_test_simulator');
}

const tokenIn = (answer: { payload: string }) =>
  (JSON.parse(answer.payload) as { data: { token: string } }).data.token;

/** What is asked too early, with a wrong token, and twice. */
async function askWrongly(service: TestService, started: Started) {
  const { attempt_id: id, attempt_token } = started;
  await service.get(`/status/${id}`, { 'x-provider-attempt-token': 'x'.repeat(64) });
  service.clock.advance(1000);
  await service.post(`/token/${id}`, { attempt_token }, service === strict() ? KEY : {});
  service.clock.advance(1000);
}

describe('the time line of simulator mode', () => {
  it('has a sign-in by phone from its start to its token', async () => {
    const started = await startPhone(plain());
    await askWrongly(plain(), started);
    await complete(plain(), started);
    await readStatus(plain(), started);
    const key = { 'idempotency-key': 'an-idempotency-key-of-this-test' };
    const issued = await redeem(plain(), started, { device_name: 'a phone' }, key);
    const line = await timeLineOf(plain(), started.attempt_id);
    expect(stepsOf(line).filter((step) => step.startsWith('area_a'))).toEqual([
      'area_a startAttempt 200',
      'area_a readStatus 404 attempt.not_found',
      'area_a issueToken 409 attempt.pending',
      'area_a completeMfa 200',
      'area_a readStatus 200',
      'area_a issueToken 200',
    ]);
    expectInOrder(line);
    expectNoSecret(line, started, tokenIn(issued));
    expect(line.text).toContain(AMAL);
    expect(line.attempt).toMatchObject({ client: { en: 'Demo application' }, service: 'Login' });
  });

  it.each([
    ['Arabic', '١٠٠٠٠٠١١٠١'],
    ['Persian', '۱۰۰۰۰۰۱۱۰۱'],
  ])('names the person whose number is in %s digits', async (_, number) => {
    const started = await startPhone(plain(), number);
    const { attempt } = await timeLineOf(plain(), started.attempt_id);
    expect(attempt).toMatchObject({ person: { en: 'Amal Salem Nasser Alnamuthaji' } });
    const list = (await plain().app.inject('/simulator/attempts')).json<{ data: object[] }>();
    const row = { id: started.attempt_id, person: attempt['person'] };
    expect(list.data).toContainEqual(expect.objectContaining(row));
  });

  it('has a sign-in by browser', async () => {
    const started = await startRedirect(plain());
    await plain().get(`/callback?state=${started.attempt_id}`);
    const code = await approveInBrowser(plain(), started);
    const issued = await redeem(plain(), started, { completion_code: code });
    await complete(plain(), started);
    const line = await timeLineOf(plain(), started.attempt_id);
    expect(stepsOf(line).filter((step) => step.startsWith('area_a'))).toEqual([
      'area_a startAttempt 200',
      'area_a launch 200',
      'area_a callback 200',
      'area_a issueToken 200',
      'area_a completeRedirect 200',
    ]);
    expectInOrder(line);
    expectNoSecret(line, started, tokenIn(issued), code);
    expect(line.attempt).toMatchObject({ person: { id: 'amal' } });
  });

  it('says of a reserved number that nobody has to answer, until its state is read', async () => {
    const attemptOf = async ({ attempt_id: id }: Started) =>
      (await timeLineOf(plain(), id)).attempt;
    const waits = await startPhone(plain());
    const started = await startPhone(plain(), '1900000002');
    expect(await attemptOf(started)).toMatchObject({ planned: true, answered: false });
    plain().clock.advance(4000);
    expect(await attemptOf(started)).toMatchObject({ state: 'pending', answered: true });
    await readStatus(plain(), started);
    expect(await attemptOf(started)).toMatchObject({ state: 'authenticated', answered: false });
    expect(await attemptOf(waits)).toMatchObject({ planned: false, answered: false });
  });

  it('is of its scope, whose attempts need name none', async () => {
    const scope = { 'x-miftah-scope': 'a' };
    const answer = await plain().post('/start', { locale: 'en', national_id: AMAL }, scope);
    const { data: started } = answer.json<{ data: Started }>();
    await readStatus(plain(), started);
    const line = await timeLineOf(plain(), started.attempt_id, scope);
    expect(stepsOf(line)).toContain('area_a readStatus 200');
    const url = `/simulator/attempts/${started.attempt_id}`;
    expect((await plain().app.inject(url)).statusCode).toBe(404);
  });
});

describe('the time line of strict mode', () => {
  it('has a sign-in by browser on both sides of the service', async () => {
    const started = await startStrict(strict());
    await askWrongly(strict(), started);
    const comeBack = await launchAndDecide(strict(), started);
    const returned = await comeBack();
    const code = codeIn(returned.headers.location);
    const issued = await redeem(strict(), started, { completion_code: code }, KEY);
    const line = await timeLineOf(strict(), started.attempt_id);
    expect(stepsOf(line)).toEqual([
      'area_a startAttempt 200',
      'area_b session 200',
      'area_a readStatus 404 attempt.not_found',
      'area_a issueToken 409 attempt.pending',
      'area_a launch 200',
      'area_a launch 200',
      'browser decision approve',
      'area_a callback 303',
      'area_b exchange 200',
      'area_a issueToken 200',
    ]);
    expectInOrder(line);
    const state = new URL(String(returned.headers.location)).searchParams.get('state') ?? '';
    expect(state).toBe('');
    // The credentials of this mode's own calls are masked, and equal to nothing else.
    const [{ exchange } = { exchange: null }] = line.entries;
    expect(exchange?.response.headers).toMatchObject({ 'x-auth-mode': 'simulator' });
    expectNoSecret(line, started, tokenIn(issued), code);
    expect(line.attempt).toMatchObject({ person: { id: 'amal' } });
  });

  it('has the word of the coach for an exchange without the key, whose attempt is hidden', async () => {
    const { attempt_id: id, attempt_token } = await startStrict(strict(), { national_id: AMAL });
    const answer = await strict().post(`/token/${id}`, { attempt_token });
    expect(answer.json()).toMatchObject({ code: 'attempt.not_found' });
    const { text } = await timeLineOf(strict(), id);
    expect(text).toContain('"no_client_key"');
    expect(text).not.toContain('"other_client_key"');
  });

  it('has the error of a page, such as a return in another browser', async () => {
    const started = await startStrict(strict());
    const comeBack = await launchAndDecide(strict(), started);
    await comeBack({});
    await comeBack();
    const line = await timeLineOf(strict(), started.attempt_id);
    const returns = stepsOf(line).filter((step) => step.startsWith('area_a callback'));
    const mismatch = 'area_a callback 403 callback.browser_mismatch';
    expect(returns).toEqual([mismatch, mismatch]);
    expect(line.text).not.toContain('<html');
  });

  it('has a sign-in by phone, with the provider’s message sent and received', async () => {
    const started = await startStrict(strict(), { national_id: AMAL });
    await decide(strict(), started);
    const steps = async () => stepsOf(await timeLineOf(strict(), started.attempt_id));
    await expect.poll(steps).toContain('callback push_callback 200');
    await expect.poll(steps).toContain('callback push_result 200');
    const issued = await redeem(strict(), started, {}, KEY);
    const line = await timeLineOf(strict(), started.attempt_id);
    expect(stepsOf(line)).toEqual([
      'area_a startAttempt 200',
      'area_b mfa_request 200',
      'phone prompt',
      'phone decision approve',
      'callback push_result 200',
      'callback push_callback 200',
      'area_a issueToken 200',
    ]);
    expectInOrder(line);
    expectNoSecret(line, started, tokenIn(issued));
  });
});

describe('TIME_LINES=off', () => {
  const quiet = shareService({ TIME_LINES: 'off' });

  it('keeps no call of the application', async () => {
    const started = await startPhone(quiet());
    await readStatus(quiet(), started);
    await complete(quiet(), started);
    const { entries } = await timeLineOf(quiet(), started.attempt_id);
    expect(entries.filter(({ side }) => side === 'area_a')).toEqual([]);
  });
});

async function reasonsOf({ app }: TestService): Promise<string[]> {
  const answer = await app.inject('/simulator/attempts');
  const { data } = answer.json<{ data: { state: string; reason: string | null }[] }>();
  return data.map(({ state, reason }) => `${state} ${String(reason)}`);
}

/** docs/simulator.md and the list of the console say which refused starts are listed. */
it.each([
  ['plain', plain, []],
  ['strict', strict, ['failed provider.record_not_found']],
] as const)('which refused starts are listed in %s mode', async (_mode, service, added) => {
  const before = await reasonsOf(service());
  for (const national_id of ['12345', '1900000021']) {
    const answer = await service().post('/start', { locale: 'en', national_id }, KEY);
    expect(answer.statusCode).toBe(422);
  }
  // Starts of the same moment are in no order.
  expect((await reasonsOf(service())).toSorted()).toEqual([...before, ...added].toSorted());
});

it('in strict mode a start that a budget of pushes refuses is listed too', async () => {
  const service = await openTestService({ settings: { ...STRICT, BUDGETS: 'on' } });
  const body = { locale: 'en', national_id: '1000001101' };
  const answers = [
    await service.post('/start', body, KEY),
    await service.post('/start', body, KEY),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 429]);
  expect(await reasonsOf(service)).toContain('failed push.budget_spent');
});
