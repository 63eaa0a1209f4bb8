import { describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import type { ErrorCode } from '../../src/errors/catalogue.ts';
import { PUSH_BUDGET } from '../../src/attempt/start/push-budget.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { CLIENTS } from '../support/live/rehearsal.ts';
import { until } from '../support/programs/until.ts';
import {
  AMAL,
  bearer,
  dataOf,
  expectProblem,
  issuedOf,
  readStatus,
  redeem,
  startedOf,
  statusOf,
  UNLISTED,
  type Started,
} from '../support/service/login.ts';
import { outcomeNumber } from '../support/service/outcome-number.ts';
import { decide, KEY, returnFrom, startStrict, STRICT } from '../support/service/strict-login.ts';
import {
  openTestService,
  shareService,
  type Answer,
  type TestService,
} from '../support/service/test-service.ts';

/** Simulator mode with STRICT=yes: it refuses what live mode refuses. */

const shared = shareService(STRICT);

const start = (body: object = {}, service = shared()) => startStrict(service, body);

const tokenOf = ({ attempt_token }: Started) => ({ 'x-provider-attempt-token': attempt_token });

/** A sign-in by phone, approved by the control API, before its redemption. */
async function approved(body: object = { national_id: AMAL }, service = shared()) {
  const started = await start(body, service);
  await decide(service, started);
  await until(async () => (await statusOf(service, started)) !== 'pending');
  return started;
}

const returnOf = (started: Started) => returnFrom(shared(), started);

type Attack = readonly [what: string, code: ErrorCode, run: () => Promise<Answer>];

const ATTACKS: readonly Attack[] = [
  [
    'a start by redirect without a key',
    'client.unauthenticated',
    () => shared().post('/start', { locale: 'en' }),
  ],
  [
    'a start by phone without a key',
    'client.unauthenticated',
    () => shared().post('/start', { locale: 'en', national_id: AMAL }),
  ],
  [
    'a start with a key that nobody has',
    'client.unauthenticated',
    () => shared().post('/start', { locale: 'en' }, bearer('mfk_wrong_0123456789abcdef')),
  ],
  [
    'a return address on another machine',
    'validation.failed',
    () => shared().post('/start', { locale: 'en', return_address: 'https://a.test/' }, KEY),
  ],
  [
    'a completion of a redirect without the person',
    'simulator.disabled',
    async () =>
      shared().post('/callback', { state: (await start()).attempt_id, auto_complete: true }),
  ],
  [
    'a completion of a push without the attempt token',
    'attempt.token_missing',
    async () =>
      shared().post('/complete-mfa', {
        attempt_id: (await start({ national_id: AMAL })).attempt_id,
      }),
  ],
  [
    'a completion of a push without the person',
    'attempt.pending',
    async () => {
      const started = await start({ national_id: AMAL });
      return shared().post('/complete-mfa', { attempt_id: started.attempt_id }, tokenOf(started));
    },
  ],
  [
    'a redemption without the client’s key',
    'attempt.not_found',
    async () => redeem(shared(), await approved()),
  ],
  [
    'a redemption of a redirect without its completion code',
    'attempt.completion_required',
    async () => {
      const started = await start();
      await returnOf(started);
      return redeem(shared(), started, {}, KEY);
    },
  ],
  [
    'a form of the sign-in page that is not there',
    'route.not_found',
    async () =>
      shared().post('/callback/sign-in', {
        state: (await start()).attempt_id,
        decision: 'approve',
      }),
  ],
  [
    'a push for a number that nobody has',
    'provider.record_not_found',
    () => shared().post('/start', { locale: 'en', national_id: UNLISTED }, KEY),
  ],
];

describe('strict simulator mode', () => {
  it('names the published key where another one was sent', async () => {
    for (const locale of ['en', 'ar']) {
      const problem = expectProblem(
        await shared().post('/start', { locale }, { authorization: 'Bearer mfk_another' }),
        'client.unauthenticated',
      );
      expect(problem['remedy']).toContain('Authorization: Bearer mfk_test_simulator');
    }
  });

  it.each(ATTACKS)('refuses %s: %s', async (_, code, run) => {
    expectProblem(await run(), code);
  });

  it('leads the browser to the address that the start named, with the code of the token', async () => {
    const started = await start({ return_address: 'http://localhost:5173/return' });
    const back = await returnOf(started);
    expect(back.origin + back.pathname).toBe('http://localhost:5173/return');
    const completion_code = back.searchParams.get('completion_code');
    const { user } = issuedOf(await redeem(shared(), started, { completion_code }, KEY));
    expect(user).toMatchObject({ national_id: AMAL, last_auth_method: 'oidc' });
  });

  it('names nobody in a status, before the redemption and after', async () => {
    const started = await approved();
    const nobody = { national_id: AMAL.slice(-4), name: '', arabic_name: '', english_name: '' };
    expect(dataOf(await readStatus(shared(), started))['user']).toMatchObject(nobody);
    const { user } = issuedOf(await redeem(shared(), started, {}, KEY));
    expect(user.national_id).toBe(AMAL);
    expect(dataOf(await readStatus(shared(), started))['user']).toMatchObject(nobody);
  });

  it('says that it is a simulator, in its answers and in its tokens', async () => {
    const answer = await redeem(shared(), await approved(), {}, KEY);
    expect(answer.headers['x-auth-mode']).toBe('simulator');
    expect(issuedOf(answer).token).toMatch(/^mft_test_/);
  });

  it.each([
    ['en', 'Nobody can sign in from this page'],
    ['ar', 'لا يمكن تسجيل الدخول من هذه الصفحة'],
  ])('has no home page to sign in with, and says why, in %s', async (locale, why) => {
    const page = await shared().request({ method: 'GET', url: `/?locale=${locale}` });
    expect(page.statusCode).toBe(200);
    expect(page.payload).toContain(why);
    expect(page.payload).toContain('mfk_test_simulator');
    expect(page.payload).toContain(`href="/console?locale=${locale}"`);
    expect(page.payload).toContain(`href="/errors?locale=${locale}"`);
    expect(page.payload).not.toMatch(/<form|data-trial/);
    // Its one script copies the commands that it shows.
    expect(page.payload.match(/<script/g)).toHaveLength(1);
    const policy = page.headers['content-security-policy'];
    expect(policy).toMatch(/script-src 'sha256-[^' ]+';/);
    expect(policy).not.toContain('connect-src');
  });

  it('shows no key of the clients of a file', async () => {
    const folder = temporaryFolder('strict-home', onTestFinished);
    const CLIENTS_FILE = writeClientsFile(folder, [CLIENTS.shop]);
    const service = await openTestService({ settings: { ...STRICT, CLIENTS_FILE } });
    const page = await service.request({ method: 'GET', url: '/?locale=en' });
    expect(page.payload).toContain('CLIENTS_FILE');
    expect(page.payload).not.toContain('mfk_test_simulator');
  });

  it('answers to no other name than PUBLIC_URL’s, and to no page of another origin', async () => {
    const headers = { host: '127.0.0.1:3000', origin: 'http://localhost:5173' };
    expectProblem(await shared().get('/user', headers), 'request.misdirected');
    const read = await shared().get('/user', { origin: 'http://localhost:5173' });
    expect(read.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('asks the provider over its own address, and logs no secret of it', async () => {
    const service = await openTestService({ settings: STRICT });
    const started = await start({ national_id: AMAL }, service);
    expect(service.logLines.join('')).toContain('/stg/api/v1/mfa/request');
    expect(service.logLines.join('')).not.toContain(started.attempt_token);
  });
});

describe('a person’s no', () => {
  it.each(['refuse', 'not_me', 'wrong_number'])('by %s ends the attempt', async (decision) => {
    const started = await start({ national_id: AMAL });
    await decide(shared(), started, decision);
    await until(async () => (await statusOf(shared(), started)) === 'rejected');
    expectProblem(await redeem(shared(), started, {}, KEY), 'attempt.rejected');
  });
});

describe('the reserved numbers in strict mode', () => {
  const REFUSED = [
    ['active_transaction', 'push.budget_spent'],
    ['unknown_record', 'provider.record_not_found'],
    ['gateway_refuses', 'provider.misconfigured'],
    ['provider_error_500', 'provider.unavailable'],
    ['provider_down_503', 'provider.unavailable'],
    ['slow_answer', 'provider.timeout'],
    ['broken_json', 'provider.bad_response'],
    ['connection_cut', 'provider.timeout'],
  ] as const;

  it.each(REFUSED)('%s: %s', async (key, code) => {
    const body = { locale: 'en', national_id: outcomeNumber(key) };
    expectProblem(await shared().post('/start', body, KEY), code);
  });

  it.each(['approves_at_once', 'callback_twice', 'callback_before_reply', 'lower_assurance'])(
    '%s signs in',
    async (key) => {
      const national_id = outcomeNumber(key);
      const started = await start({ national_id });
      await until(async () => (await statusOf(shared(), started)) === 'authenticated');
      expect(issuedOf(await redeem(shared(), started, {}, KEY)).user).toMatchObject({
        national_id,
      });
    },
  );
});

describe('budgets of pushes', () => {
  const QUOTA = PUSH_BUDGET.person[0]?.quota ?? 0;

  const pushes = async (settings: Record<string, string>) => {
    const service = await openTestService({ settings });
    const codes: number[] = [];
    for (let count = 0; count <= QUOTA; count += 1) {
      const body = { locale: 'en', national_id: AMAL };
      codes.push((await service.post('/start', body, KEY)).statusCode);
    }
    return new Set(codes);
  };

  it.each<Record<string, string>>([{}, STRICT])('are none by default: %o', async (settings) => {
    expect(await pushes(settings)).toEqual(new Set([200]));
  });

  it.each<Record<string, string>>([{}, STRICT])(
    'are there with BUDGETS=on: %o',
    async (settings) => {
      expect(await pushes({ ...settings, BUDGETS: 'on' })).toEqual(new Set([200, 429]));
    },
  );
});

describe('a store', () => {
  it('is the same with STRICT and without: the same person is the same user', async () => {
    const strict = await openTestService({ settings: STRICT });
    const { user: first } = issuedOf(
      await redeem(strict, await approved(undefined, strict), {}, KEY),
    );
    await strict.close();
    const { dataDir, clock } = strict;
    const plain: TestService = await openTestService({ dataDir, clock });
    const body = { locale: 'en', national_id: AMAL };
    const started = startedOf(await plain.post('/start', body));
    await plain.post('/complete-mfa', { attempt_id: started.attempt_id });
    expect(issuedOf(await redeem(plain, started)).user.id).toBe(first.id);
  });
});
