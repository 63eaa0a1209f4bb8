import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AMAL, FAISAL, makeEngine, pushFor } from '../../../test/support/engines.ts';
import { START } from '../../../test/support/fakes.ts';
import { outcomeId } from '../people/national-id.ts';
import { OUTCOMES } from '../outcomes/outcomes.ts';
import { decide, DECISIONS, isListed, stateOf, type Decision, type Prompt } from './prompts.ts';

const LIFETIME_MS = 60_000;

function pushPrompt(nationalId = AMAL): Prompt {
  const { engine } = makeEngine();
  const answer = engine.createPush(pushFor(nationalId), { lifetimeMs: LIFETIME_MS });
  const prompt = answer.ok ? engine.prompt(answer.promptId) : null;
  if (prompt === null) throw new Error('no prompt');
  return prompt;
}

function redirectPrompt(): Prompt {
  const { engine } = makeEngine();
  const prompt = engine.prompt(engine.createSession(pushFor(AMAL)).promptId);
  if (prompt === null) throw new Error('no prompt');
  return prompt;
}

function decided(prompt: Prompt, decision: Decision, at = START): Prompt {
  const result = decide(prompt, decision, null, at);
  if (!result.ok) throw new Error(result.reason);
  return result.prompt;
}

describe('a prompt', () => {
  it('waits from its creation until just before its expiry', () => {
    expect(stateOf(pushPrompt(), START).state).toBe('waiting');
    expect(stateOf(pushPrompt(), START + LIFETIME_MS - 1).state).toBe('waiting');
    expect(stateOf(pushPrompt(), START + LIFETIME_MS)).toEqual({
      state: 'expired',
      at: START + LIFETIME_MS,
    });
  });

  it.each([
    ['approve', { state: 'approved' }],
    ['refuse', { state: 'rejected', reason: 'refused' }],
    ['not_me', { state: 'rejected', reason: 'not_me' }],
    ['wrong_number', { state: 'rejected', reason: 'wrong_number' }],
    ['ignore', { state: 'waiting' }],
  ] as const)('on %s becomes %o', (decision, state) => {
    expect(stateOf(decided(pushPrompt(), decision), START)).toMatchObject(state);
  });

  it.each(['approve', 'refuse', 'not_me', 'wrong_number'] as const)(
    'after %s takes no decision more, whichever it is',
    (first) => {
      for (const second of DECISIONS) {
        const prompt = decided(pushPrompt(), first);
        expect(decide(prompt, second, null, START)).toEqual({ ok: false, reason: 'ended' });
      }
    },
  );

  it('takes no decision at or after its expiry', () => {
    const late = decide(pushPrompt(), 'approve', null, START + LIFETIME_MS);
    expect(late).toEqual({ ok: false, reason: 'ended' });
  });

  it('that is ignored is listed no more, expires, and can still be answered before that', () => {
    const ignored = decided(pushPrompt(), 'ignore');
    expect(isListed(ignored, START)).toBe(false);
    expect(stateOf(ignored, START + LIFETIME_MS).state).toBe('expired');
    expect(stateOf(decided(ignored, 'approve'), START).state).toBe('approved');
  });

  it('that is ignored no longer does what its outcome would have done', () => {
    const ignored = decided(pushPrompt(outcomeId(2)), 'ignore');
    expect(stateOf(ignored, START + 3000).state).toBe('waiting');
  });

  it('that is decided by hand forgets its outcome', () => {
    const refused = decided(pushPrompt(outcomeId(2)), 'refuse');
    expect(stateOf(refused, START + 3000)).toMatchObject({ state: 'rejected' });
  });

  it('of the redirect flow shows no number to get wrong', () => {
    const result = decide(redirectPrompt(), 'wrong_number', null, START);
    expect(result).toEqual({ ok: false, reason: 'not_applicable' });
  });

  it('is approved by its own person, or by the one whom the decision names', () => {
    const other = pushPrompt(FAISAL).signer;
    const own = stateOf(decided(pushPrompt(), 'approve'), START);
    expect(own).toMatchObject({ person: { id: 'amal' } });
    const named = decide(pushPrompt(), 'approve', other, START);
    expect(named).toMatchObject({ prompt: { decided: { person: { id: 'faisal' } } } });
  });
});

describe('nothing leaves an end state', () => {
  const identities = [
    AMAL,
    ...OUTCOMES.filter((o) => o.effect.on === 'phone').map((o) => outcomeId(o.number)),
  ];
  const steps = fc.array(
    fc.record({
      wait: fc.integer({ min: 0, max: 20_000 }),
      decision: fc.option(fc.constantFrom(...DECISIONS)),
    }),
    { maxLength: 20 },
  );

  it('whatever is decided, and whenever it is looked at', () => {
    fc.assert(
      fc.property(fc.constantFrom(...identities), steps, (nationalId, wanted) => {
        let prompt = pushPrompt(nationalId);
        let now = START;
        for (const { wait, decision } of wanted) {
          now += wait;
          const before = stateOf(prompt, now);
          const result = decision === null ? null : decide(prompt, decision, null, now);
          if (before.state !== 'waiting' && result !== null) expect(result.ok).toBe(false);
          if (result?.ok === true) prompt = result.prompt;
          if (before.state !== 'waiting') expect(stateOf(prompt, now)).toEqual(before);
        }
        expect(stateOf(prompt, START + LIFETIME_MS).state).not.toBe('waiting');
      }),
    );
  });
});
