import { describe, expect, it } from 'vitest';
import { FAISAL, makeEngine, pushFor, REQUEST_ID } from '../../../test/support/engines.ts';
import { START } from '../../../test/support/fakes.ts';
import { outcomeId } from '../people/national-id.ts';
import { outcomeFor, OUTCOMES } from './outcomes.ts';
import type { Decision, PromptState } from '../prompts/prompts.ts';
import type { SignInResult } from './outcome-of.ts';
import { DEFAULT_SCOPE } from '../scenario.ts';
import { SERVICES_IN_USE } from '../services.ts';

const LIFETIME_MS = 60_000;

/** The expected state for each outcome on the phone; the first test fails if one is missing. */
const ON_THE_PHONE: Record<string, { at: number; state: Partial<PromptState> }> = {
  approves_at_once: { at: 0, state: { state: 'approved' } },
  approves_after_3s: { at: 3000, state: { state: 'approved' } },
  approves_in_last_second: { at: LIFETIME_MS - 500, state: { state: 'approved' } },
  refuses: { at: 0, state: { state: 'rejected', reason: 'refused' } },
  not_me: { at: 0, state: { state: 'rejected', reason: 'not_me' } },
  wrong_number: { at: 0, state: { state: 'rejected', reason: 'wrong_number' } },
  never_answers: { at: LIFETIME_MS, state: { state: 'expired' } },
  refuses_named: { at: 0, state: { state: 'rejected', reason: 'refused' } },
  callback_expired: { at: LIFETIME_MS, state: { state: 'expired' } },
  lower_assurance: { at: 0, state: { state: 'approved' } },
  result_without_names: { at: 0, state: { state: 'approved' } },
};

/** The person approves at once; the expected result for a careful relying party, and its time. */
const IN_THE_RESULT: Record<string, { at: number; result: Partial<SignInResult> }> = {
  callback_twice: { at: 0, result: { kind: 'approved' } },
  callback_before_reply: { at: 0, result: { kind: 'approved' } },
  callback_lost: { at: 0, result: { kind: 'unsigned', until: null } },
  token_late: { at: 10_000, result: { kind: 'approved' } },
  token_unknown_key: { at: 0, result: { kind: 'bad_token', flaw: 'unknown_key' } },
  token_wrong_audience: { at: 0, result: { kind: 'bad_token', flaw: 'wrong_audience' } },
  token_expired: { at: 0, result: { kind: 'bad_token', flaw: 'expired' } },
  token_other_person: { at: 0, result: { kind: 'bad_token', flaw: 'other_person' } },
  token_alg_none: { at: 0, result: { kind: 'bad_token', flaw: 'alg_none' } },
};

const IN_THE_ANSWER: Record<string, object> = {
  active_transaction: { kind: 'record', record: { status: '400', code: '400-034-050' } },
  unknown_record: { kind: 'record', record: { status: '422', code: '422-016-023' } },
  gateway_refuses: { kind: 'gateway', status: 403, text: 'Authentication failed' },
  provider_error_500: { kind: 'outage', status: 500, mediaType: 'text/plain' },
  provider_down_503: { kind: 'outage', status: 503, mediaType: 'text/html' },
  slow_answer: { kind: 'timeout', afterMs: 10_000, late: { ok: true } },
  broken_json: { kind: 'malformed' },
  connection_cut: { kind: 'cut' },
};

/** Faults after which the push still reaches the phone. */
const ACCEPTED_FIRST = new Set(['slow_answer', 'broken_json', 'connection_cut']);

describe('the table of outcomes', () => {
  it('has an expectation for each row, and no other', () => {
    const expected = [ON_THE_PHONE, IN_THE_ANSWER, IN_THE_RESULT].flatMap(Object.keys);
    expect(OUTCOMES.map((outcome) => outcome.key).toSorted()).toEqual(expected.toSorted());
  });

  it('gives no number and no key twice', () => {
    expect(new Set(OUTCOMES.map(({ number }) => number)).size).toBe(OUTCOMES.length);
    expect(new Set(OUTCOMES.map(({ key }) => key)).size).toBe(OUTCOMES.length);
    expect(OUTCOMES.every(({ number }) => number >= 1 && number <= 99)).toBe(true);
  });

  it('knows the identity of each row, and no other', () => {
    for (const outcome of OUTCOMES) expect(outcomeFor(outcomeId(outcome.number))).toBe(outcome);
    expect(outcomeFor(outcomeId(99))).toBeNull();
    expect(outcomeFor('1000001101')).toBeNull();
  });
});

const planned = OUTCOMES.flatMap((outcome) => {
  const expected = ON_THE_PHONE[outcome.key];
  return expected === undefined ? [] : [{ ...outcome, expected }];
});
const answered = OUTCOMES.filter((outcome) => outcome.key in IN_THE_ANSWER);

describe.each(planned)('what the person does: $key', ({ number, expected }) => {
  const request = pushFor(outcomeId(number));

  it('happens at its moment and not before', () => {
    const { engine } = makeEngine();
    const answer = engine.createPush(request, { lifetimeMs: LIFETIME_MS });
    const prompt = answer.ok ? engine.prompt(answer.promptId) : null;
    if (prompt === null) throw new Error('no prompt');
    expect(engine.stateOf(prompt, START + expected.at)).toMatchObject(expected.state);
    if (expected.at === 0) return;
    expect(engine.stateOf(prompt, START + expected.at - 1).state).toBe('waiting');
  });

  it('happens again in a process that made the prompt anew', () => {
    const { engine } = makeEngine();
    const expiresAt = START + LIFETIME_MS;
    const code = { kind: 'push', bindingCode: '42' } as const;
    const prompt = engine.promptOf({ ...request, ...code, createdAt: START, expiresAt });
    expect(engine.stateOf(prompt, expiresAt)).toMatchObject(expected.state);
  });
});

describe.each(answered)('what becomes of the answer: $key', ({ key, number }) => {
  it('is told to the caller, and the person is asked or not', () => {
    const { engine } = makeEngine();
    const answer = engine.createPush(pushFor(outcomeId(number)));
    expect(answer).toMatchObject({ ok: false, ...IN_THE_ANSWER[key] });
    expect(engine.prompts()).toHaveLength(ACCEPTED_FIRST.has(key) ? 1 : 0);
  });
});

describe.each(OUTCOMES)('the person behind $key', ({ number, title }) => {
  it('is somebody of its own, named after what it does', () => {
    const { directory } = makeEngine().engine.scopes.of(DEFAULT_SCOPE);
    const person = directory.byNationalId(outcomeId(number));
    expect(person?.nationalId).toBe(outcomeId(number));
    expect(person?.englishName.full).toBe(`Outcome ${title.en}`);
    expect(person?.arabicName.full).toContain(title.ar);
    expect(directory.byId(person?.id ?? '')).toBe(person);
  });
});

const results = OUTCOMES.flatMap((outcome) => {
  const expected = IN_THE_RESULT[outcome.key];
  return expected === undefined ? [] : [{ ...outcome, expected }];
});

describe.each(results)('what becomes of the result: $key', ({ number, expected }) => {
  function askedOnThePhone() {
    const bench = makeEngine();
    const answer = bench.engine.createPush(pushFor(outcomeId(number)));
    const prompt = answer.ok ? bench.engine.prompt(answer.promptId) : null;
    if (prompt === null) throw new Error('no prompt');
    return { ...bench, prompt };
  }

  it('is an approval at once by the status, which is not signed', () => {
    const { engine, prompt } = askedOnThePhone();
    expect(engine.stateOf(prompt)).toMatchObject({ state: 'approved' });
  });

  it('is told to whoever uses the engine in process', () => {
    const { engine, prompt } = askedOnThePhone();
    expect(engine.resultOf(prompt, START + expected.at)).toMatchObject(expected.result);
    if (expected.at === 0) return;
    const before = engine.resultOf(prompt, START + expected.at - 1);
    expect(before).toEqual({ kind: 'unsigned', since: START, until: START + expected.at });
  });

  it('goes with the one who approves, on a sign-in page too, which needs no callback', () => {
    const { engine } = makeEngine();
    const { promptId } = engine.createSession({ requestId: REQUEST_ID, locale: 'en' });
    const personId = `outcome-${number}`;
    const decided = engine.decide({ promptId, decision: 'approve', personId });
    if (!decided.ok) throw new Error(decided.reason);
    const { result } = expected;
    const isBad = result.kind === 'bad_token' && result.flaw !== 'other_person';
    expect(engine.resultOf(decided.prompt)).toMatchObject(isBad ? result : { kind: 'approved' });
  });
});

describe('a token that names somebody else', () => {
  it('signs that one in on a sign-in page, where nobody was asked for', () => {
    const { engine } = makeEngine();
    const { promptId } = engine.createSession({ requestId: REQUEST_ID, locale: 'en' });
    const decided = engine.decide({ promptId, decision: 'approve', personId: 'outcome-53' });
    if (!decided.ok) throw new Error(decided.reason);
    const result = { kind: 'approved', person: { id: 'amal' } };
    expect(engine.resultOf(decided.prompt)).toMatchObject(result);
  });

  it.each([
    ['1000002201', { kind: 'bad_token', flaw: 'other_person', since: START }],
    ['1234567890', { kind: 'approved', person: { id: 'yara' } }],
  ])('for a push to %s is %o: a number that nobody has asks for nobody', (nationalId, result) => {
    const { engine } = makeEngine();
    const answer = engine.createPush(pushFor(nationalId), { unlisted: 'wait' });
    const promptId = answer.ok ? answer.promptId : '';
    const decided = engine.decide({ promptId, decision: 'approve', personId: 'yara' });
    if (!decided.ok) throw new Error(decided.reason);
    expect(engine.resultOf(decided.prompt)).toMatchObject(result);
  });
});

describe('the result of an ordinary prompt', () => {
  it.each([
    ['approve', { kind: 'approved', person: { id: 'amal' } }],
    ['refuse', { kind: 'rejected', reason: 'refused' }],
    ['not_me', { kind: 'rejected', reason: 'not_me' }],
  ] as const)('after %s is %o', (decision, result) => {
    const { engine } = makeEngine();
    const { promptId } = engine.createSession({ requestId: REQUEST_ID, locale: 'en' });
    const before = engine.prompt(promptId);
    engine.decide({ promptId, decision });
    const after = engine.prompt(promptId);
    if (before === null || after === null) throw new Error('no prompt');
    expect(engine.resultOf(before)).toEqual({ kind: 'waiting' });
    expect(engine.resultOf(before, before.expiresAt)).toEqual({ kind: 'expired' });
    expect(engine.resultOf(after)).toMatchObject(result);
  });
});

/** The signed result of a push to this identity, after its planned end or this decision. */
function resultFor(nationalId: string, decision: Decision | null = null, service = 'Login') {
  const services = new Map([
    ...SERVICES_IN_USE,
    ['Thin*', { answerMs: null, thin: true }] as const,
  ]);
  const { engine, clock } = makeEngine({ services });
  const answer = engine.createPush({ ...pushFor(nationalId), service });
  const promptId = answer.ok ? answer.promptId : '';
  if (decision !== null) engine.decide({ promptId, decision });
  const prompt = engine.prompt(promptId);
  if (prompt?.kind !== 'push') throw new Error('no push');
  if (decision === null) clock.advance(LIFETIME_MS);
  const end = engine.stateOf(prompt);
  if (end.state === 'waiting') throw new Error('no end');
  return { result: engine.resultOf(prompt), claims: engine.pushToken(prompt, end).claims };
}

describe('the signed result', () => {
  const NAMES = { firstName: 'نتيجة', englishFirstName: 'Outcome' };

  it('names whoever approves, and nobody who refuses', () => {
    const approved = resultFor(outcomeId(1));
    expect(approved.claims).toMatchObject({ status: 'COMPLETED', ...NAMES });
    expect(approved.result).toMatchObject({ kind: 'approved', named: true });
    const { claims } = resultFor(outcomeId(10));
    expect(claims).toMatchObject({ status: 'REJECTED' });
    expect(claims).not.toHaveProperty('sub');
    expect(claims).not.toHaveProperty('nin');
    expect(claims).not.toHaveProperty('firstName');
  });

  it('of refuses_named names the person who refuses, as an approval does', () => {
    const id = outcomeId(14);
    const named = { status: 'REJECTED', nin: id, sub: id, PersonId: id, ...NAMES };
    expect(resultFor(id).claims).toMatchObject(named);
  });

  it('of result_without_names says who it is, and no name', () => {
    const id = outcomeId(61);
    const { claims, result } = resultFor(id);
    const thin = { status: 'COMPLETED', sub: id, PersonId: id, nationalityCode: '113' };
    expect(claims).toMatchObject(thin);
    expect(Object.keys(claims).filter((claim) => /name$/i.test(claim))).toEqual(['ServiceName']);
    expect(claims['nin']).toBeUndefined();
    expect(result).toMatchObject({ kind: 'approved', named: false });
  });

  it('of callback_expired says that nobody answered, and nothing of anybody', () => {
    const { claims } = resultFor(outcomeId(44));
    expect(claims).toMatchObject({ status: 'EXPIRED', ServiceName: 'Login' });
    expect(claims['sub']).toBeUndefined();
  });

  it('is thin for no service, unless the settings say so', () => {
    for (const name of SERVICES_IN_USE.keys()) {
      expect(resultFor(FAISAL, 'approve', name).claims['firstName']).toBe('فيصل');
    }
  });

  it('is thin for the services that are, when somebody approves', () => {
    const approved = resultFor(FAISAL, 'approve', 'ThinOne');
    expect(approved.claims).toMatchObject({ sub: FAISAL, ServiceName: 'ThinOne' });
    expect(approved.claims['firstName']).toBeUndefined();
    expect(approved.result).toMatchObject({ kind: 'approved', named: false });
    expect(resultFor(FAISAL, 'refuse', 'ThinOne').claims['sub']).toBeUndefined();
  });
});

describe('the person with a lower assurance level', () => {
  it('is the only outcome that has one', () => {
    const { directory } = makeEngine().engine.scopes.of(DEFAULT_SCOPE);
    const levels = OUTCOMES.map(({ number }) => directory.byNationalId(outcomeId(number)));
    const lower = levels.filter((person) => (person?.assuranceLevel ?? 0) < 3);
    expect(lower.map((person) => person?.id)).toEqual(['outcome-60']);
    expect(lower[0]?.assuranceLevel).toBe(1);
  });
});
