import { describe, expect, it } from 'vitest';
import { makeEngine, pushFor } from '../../test/support/engines.ts';
import { START } from '../../test/support/fakes.ts';
import { outcomeId } from './national-id.ts';
import { COMING_OUTCOMES, outcomeFor, OUTCOMES } from './outcomes.ts';
import type { PromptState } from './prompts.ts';

const LIFETIME_MS = 60_000;

/** What happens, row by row: a row without an expectation fails the first test. */
const ON_THE_PHONE: Record<string, { at: number; state: Partial<PromptState> }> = {
  approves_at_once: { at: 0, state: { state: 'approved' } },
  approves_after_3s: { at: 3000, state: { state: 'approved' } },
  approves_in_last_second: { at: LIFETIME_MS - 500, state: { state: 'approved' } },
  refuses: { at: 0, state: { state: 'rejected', reason: 'refused' } },
  not_me: { at: 0, state: { state: 'rejected', reason: 'not_me' } },
  wrong_number: { at: 0, state: { state: 'rejected', reason: 'wrong_number' } },
  never_answers: { at: LIFETIME_MS, state: { state: 'expired' } },
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

/** Faults that the person does not notice: the push is on the phone all the same. */
const ACCEPTED_FIRST = new Set(['slow_answer', 'broken_json', 'connection_cut']);

describe('the table of outcomes', () => {
  it('has an expectation for each row, and no other', () => {
    const expected = [...Object.keys(ON_THE_PHONE), ...Object.keys(IN_THE_ANSWER)];
    expect(OUTCOMES.map((outcome) => outcome.key).toSorted()).toEqual(expected.toSorted());
  });

  it('gives no number and no key twice, also among those that are coming', () => {
    const all = [...OUTCOMES, ...COMING_OUTCOMES];
    expect(new Set(all.map(({ number }) => number)).size).toBe(all.length);
    expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
    expect(all.every(({ number }) => number >= 1 && number <= 99)).toBe(true);
  });

  it('knows the identity of each row, and none of those that are coming', () => {
    for (const outcome of OUTCOMES) expect(outcomeFor(outcomeId(outcome.number))).toBe(outcome);
    for (const { number } of COMING_OUTCOMES) expect(outcomeFor(outcomeId(number))).toBeNull();
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
    const prompt = engine.ensurePrompt({ ...request, ...code, createdAt: START, expiresAt });
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
    const { directory } = makeEngine().engine;
    const person = directory.byNationalId(outcomeId(number));
    expect(person?.nationalId).toBe(outcomeId(number));
    expect(person?.englishName.full).toBe(`Outcome ${title.en}`);
    expect(person?.arabicName.full).toContain(title.ar);
    expect(directory.byId(person?.id ?? '')).toBe(person);
  });
});

describe('an outcome that is coming', () => {
  it.each(COMING_OUTCOMES)('$key is nobody yet', ({ number }) => {
    const { engine } = makeEngine();
    expect(engine.createPush(pushFor(outcomeId(number)))).toMatchObject({
      record: { code: '422-016-023' },
    });
  });
});
