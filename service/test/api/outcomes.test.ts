import { OUTCOMES } from '@miftah/simulator/engine';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/errors/catalogue.ts';
import { ATTEMPT_LIFETIME_MS } from '../../src/attempt/attempt.ts';
import { wordingOf } from '../../src/errors/wording.ts';
import {
  AMAL,
  complete,
  dataOf,
  expectProblem,
  issuedOf,
  postSignIn,
  readStatus,
  redeem,
  startedOf,
  startPhone,
  startRedirect,
  statusOf,
  type Started,
} from '../support/service/login.ts';
import {
  openTestService,
  shareService,
  type TestService,
} from '../support/service/test-service.ts';

/** The reserved numbers, and the outcome of each as an application sees it through area A. */

const shared = shareService();
const idOf = (number: number) => `19000000${String(number).padStart(2, '0')}`;

/** The expected status after this many milliseconds. */
type Story = readonly (readonly [at: number, status: string])[];

/** An approval without a valid signed result stays pending for this long. */
const NEVER_PROVEN: Story = [
  [29_999, 'pending'],
  [30_000, 'failed'],
];

const STORIES: Readonly<Record<number, Story>> = {
  1: [[0, 'authenticated']],
  2: [
    [2999, 'pending'],
    [3000, 'authenticated'],
  ],
  3: [
    [ATTEMPT_LIFETIME_MS - 501, 'pending'],
    [ATTEMPT_LIFETIME_MS - 500, 'authenticated'],
  ],
  10: [[0, 'rejected']],
  11: [[0, 'rejected']],
  12: [[0, 'rejected']],
  13: [
    [0, 'pending'],
    [ATTEMPT_LIFETIME_MS - 1, 'pending'],
    [ATTEMPT_LIFETIME_MS, 'expired'],
  ],
  14: [[0, 'rejected']],
  40: [[0, 'authenticated']],
  41: [[0, 'authenticated']],
  42: NEVER_PROVEN,
  43: [
    [9999, 'pending'],
    [10_000, 'authenticated'],
  ],
  44: [
    [ATTEMPT_LIFETIME_MS - 1, 'pending'],
    [ATTEMPT_LIFETIME_MS, 'expired'],
  ],
  50: NEVER_PROVEN,
  51: NEVER_PROVEN,
  52: NEVER_PROVEN,
  53: [[0, 'failed']],
  54: NEVER_PROVEN,
  60: [[0, 'authenticated']],
  61: [[0, 'authenticated']],
};

/** Why an attempt has failed, as its status tells. */
const FAILURES: Readonly<Record<number, ErrorCode>> = {
  42: 'provider.identity_missing',
  50: 'provider.identity_missing',
  51: 'provider.identity_missing',
  52: 'provider.identity_missing',
  53: 'provider.mismatch',
  54: 'provider.identity_missing',
};

/** The signed result identifies the person but contains no name. */
const NAMELESS: ReadonlySet<number> = new Set([61]);

interface StartRefusal {
  readonly code: ErrorCode;
  readonly retryAfter?: string;
  readonly reference?: true;
}

const REFUSALS: Readonly<Record<number, StartRefusal>> = {
  20: { code: 'push.budget_spent', retryAfter: '60' },
  21: { code: 'provider.record_not_found', reference: true },
  30: { code: 'provider.misconfigured' },
  31: { code: 'provider.unavailable', retryAfter: '1' },
  32: { code: 'provider.unavailable', retryAfter: '1' },
  33: { code: 'provider.timeout' },
  34: { code: 'provider.bad_response' },
  35: { code: 'provider.timeout' },
};

it('are all told here', () => {
  const told = [...Object.keys(STORIES), ...Object.keys(REFUSALS)].map(Number);
  const numbers = OUTCOMES.map(({ number }) => number);
  expect(told.toSorted((one, other) => one - other)).toEqual(numbers);
});

async function tell(service: TestService, started: Started, story: Story): Promise<string[]> {
  const told: string[] = [];
  let passed = 0;
  for (const [at] of story) {
    service.clock.advance(at - passed);
    passed = at;
    told.push(String(await statusOf(service, started)));
  }
  return told;
}

async function expectFailed(service: TestService, started: Started, code: ErrorCode) {
  const status = dataOf(await readStatus(service, started));
  const { message } = wordingOf(code, 'en');
  expect(status).toMatchObject({ message, provider_status: 'FAILED', user: null });
  expectProblem(await redeem(service, started), 'attempt.failed');
}

describe.each(Object.entries(STORIES))('the phone of outcome %s', (number, story) => {
  it('does what it says without anybody completing it, and only then', async () => {
    const service = shared();
    const started = await startPhone(service, idOf(Number(number)));
    expect(started.random).toMatch(/^\d{6}$/);
    expect(await tell(service, started, story)).toEqual(story.map(([, status]) => status));
    const failure = FAILURES[Number(number)];
    if (failure !== undefined) await expectFailed(service, started, failure);
    if (story.at(-1)?.[1] !== 'authenticated') return;
    const { user } = issuedOf(await redeem(service, started));
    expect(user.national_id).toBe(idOf(Number(number)));
    expect(user.name).toMatch(NAMELESS.has(Number(number)) ? /^$/ : /^Outcome /);
  });
});

describe('the phone', () => {
  it('is not asked by POST /token alone either: the news is there at once', async () => {
    const service = shared();
    const started = await startPhone(service, idOf(1));
    expect(issuedOf(await redeem(service, started)).user.national_id).toBe(idOf(1));
    expectProblem(await redeem(service, await startPhone(service, idOf(10))), 'attempt.rejected');
  });

  it('loses to whoever completes the attempt before it', async () => {
    const service = shared();
    for (const number of [2, 3, 13]) {
      const started = await startPhone(service, idOf(number));
      expect((await complete(service, started)).statusCode).toBe(200);
      expect(issuedOf(await redeem(service, started)).user.national_id).toBe(idOf(number));
    }
  });

  it('wins over whoever completes the attempt after it', async () => {
    const service = shared();
    for (const number of [10, 11, 12]) {
      const started = await startPhone(service, idOf(number));
      expectProblem(await complete(service, started), 'attempt.rejected');
    }
    // Already approved, and a completion can't replace the missing signed result.
    for (const number of [42, 43, 50]) {
      const started = await startPhone(service, idOf(number));
      expectProblem(await complete(service, started), 'attempt.pending');
    }
    expectProblem(await complete(service, await startPhone(service, idOf(53))), 'attempt.failed');
    const approved = await startPhone(service, idOf(1));
    expect((await complete(service, approved)).statusCode).toBe(200);
  });

  it('is too late when nobody looked before the expiry', async () => {
    const service = shared();
    const started = await startPhone(service, idOf(1));
    service.clock.advance(ATTEMPT_LIFETIME_MS);
    expect(await statusOf(service, started)).toBe('expired');
    expectProblem(await redeem(service, started), 'attempt.expired');
  });

  it('may have several requests at a time: one does not block the next', async () => {
    const service = shared();
    const both = [await startPhone(service, idOf(13)), await startPhone(service, idOf(13))];
    for (const started of both) expect(await statusOf(service, started)).toBe('pending');
  });
});

describe.each(Object.entries(REFUSALS))('the answer of outcome %s', (number, refusal) => {
  it('is what the catalogue says, in both languages, and starts no attempt', async () => {
    const service = shared();
    const messages: string[] = [];
    for (const locale of ['ar', 'en']) {
      const body = { national_id: idOf(Number(number)), locale };
      const answer = await service.post('/start', body);
      const problem = expectProblem(answer, refusal.code);
      messages.push(problem.message);
      expect(answer.headers['retry-after']).toBe(refusal.retryAfter);
      expect(Number.isInteger(problem['reference'])).toBe(refusal.reference === true);
      expect(answer.payload).not.toMatch(/attempt_(id|token)|random|19000000/);
    }
    expect(messages[0]).toMatch(/[\u0600-\u06ff]/);
    expect(messages[1]).toMatch(/^[ -~]+$/);
  });
});

describe('a reference of the provider', () => {
  it('grows with each refusal, for its support', async () => {
    const service = shared();
    const references: number[] = [];
    for (const number of [21, 21, 21]) {
      const body = { national_id: idOf(number), locale: 'en' };
      const problem = (await service.post('/start', body)).json<{ reference: number }>();
      references.push(problem.reference);
    }
    const [one = 0, two = 0, three = 0] = references;
    expect(one < two && two < three).toBe(true);
  });

  it('never runs backwards over a restart', async () => {
    const service = await openTestService();
    const body = { national_id: idOf(21), locale: 'en' };
    const before = expectProblem(await service.post('/start', body), 'provider.record_not_found');
    await service.close();
    const { dataDir, clock } = service;
    const again = await openTestService({ dataDir, clock });
    const after = expectProblem(await again.post('/start', body), 'provider.record_not_found');
    expect(Number(after['reference'])).toBeGreaterThan(Number(before['reference']));
  });
});

/** A sign-in page is for anybody, so the outcome is that of the person who approves. */
async function approveAs(person: string): Promise<Started> {
  const started = await startRedirect(shared());
  await postSignIn(shared(), { state: started.attempt_id, person, decision: 'approve' });
  return started;
}

describe('the sign-in page', () => {
  it.each([50, 51, 52, 54])(
    'ends the attempt when the token of outcome %i is bad',
    async (number) => {
      const started = await approveAs(`outcome-${number}`);
      await expectFailed(shared(), started, 'provider.bad_response');
    },
  );

  it.each([
    [42, idOf(42)],
    [43, idOf(43)],
    [53, AMAL],
    [60, idOf(60)],
  ])('signs outcome %i in as %s: it needs no callback', async (number, nationalId) => {
    const issued = issuedOf(await redeem(shared(), await approveAs(`outcome-${number}`)));
    expect(issued.user.national_id).toBe(nationalId);
  });
});

it('the lower level of outcome 60 is the level of the user', async () => {
  const { user } = issuedOf(await redeem(shared(), await startPhone(shared(), idOf(60))));
  expect(user).toMatchObject({ assurance_level: 1 });
});

it('a result without names leaves the names of an earlier sign-in', async () => {
  const service = await openTestService();
  const userAfter = async (started: Started) =>
    (await redeem(service, started)).json<{ data: { user: Record<string, unknown> } }>().data.user;
  const byPhone = async () => userAfter(await startPhone(service, idOf(61)));
  const unknown = { name: '', arabic_name: '', english_name: '', gender: 'X' };
  expect(await byPhone()).toMatchObject({ ...unknown, nationality: 'SA' });
  const started = await startRedirect(service);
  const state = started.attempt_id;
  await postSignIn(service, { state, person: 'outcome-61', decision: 'approve' });
  const { name, arabic_name, english_name, gender } = await userAfter(started);
  expect(name).toMatch(/^Outcome /);
  expect(await byPhone()).toMatchObject({ name, arabic_name, english_name, gender });
});

it('an outcome that has begun goes on after a restart', async () => {
  const service = await openTestService();
  const started = await startPhone(service, idOf(2));
  const { dataDir, clock } = service;
  await service.close();
  const again = await openTestService({ dataDir, clock });
  clock.advance(2999);
  expect(await statusOf(again, started)).toBe('pending');
  clock.advance(1);
  expect(dataOf(await readStatus(again, started))['status']).toBe('authenticated');
});

it('a number that is reserved, but not used yet, waits for the default person', async () => {
  const service = shared();
  const body = { national_id: '1900000099', locale: 'en' };
  const started = startedOf(await service.post('/start', body));
  expect(await statusOf(service, started)).toBe('pending');
  await complete(service, started);
  expect(issuedOf(await redeem(service, started)).user.national_id).toBe('1000001101');
});
