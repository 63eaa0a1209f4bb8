import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AMAL,
  FAISAL,
  makeEngine,
  pushFor,
  REQUEST_ID,
  STRANGER,
} from '../../test/support/engines.ts';
import { START } from '../../test/support/fakes.ts';
import type { Engine } from './engine.ts';
import { outcomeId } from './people/national-id.ts';
import type { PushOptions } from './requests.ts';
import type { PushAccepted } from './results.ts';

const AREA_A = {
  codeLength: 6,
  unlisted: 'wait',
  lifetimeMs: 300_000,
  oneActive: false,
} as const satisfies PushOptions;

function ask(engine: Engine, nationalId: string, options?: PushOptions): PushAccepted {
  const answer = engine.createPush(pushFor(nationalId), options);
  if (!answer.ok) throw new Error(`refused: ${answer.kind}`);
  return answer;
}

function statusOf(engine: Engine, answer: PushAccepted, nationalId = AMAL) {
  const { transactionId, bindingCode } = answer;
  return engine.pushStatus({ transactionId, bindingCode, nationalId });
}

describe('a push as area B makes it', () => {
  it('has two digits and a transaction of its own', () => {
    const { engine } = makeEngine();
    const answer = ask(engine, AMAL);
    expect(answer.bindingCode).toMatch(/^\d{2}$/);
    expect(answer.transactionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(engine.prompt(answer.promptId)).toMatchObject({
      kind: 'push',
      requestId: REQUEST_ID,
      nationalId: AMAL,
      service: 'Login',
      locale: 'ar',
    });
  });

  it('waits 60 s for service Login and 180 s for others', () => {
    const { engine } = makeEngine();
    expect(ask(engine, AMAL).expiresAt).toBe(START + 60_000);
    const other = engine.createPush({ ...pushFor(FAISAL), service: 'OpenAccount' });
    expect(other).toMatchObject({ ok: true, expiresAt: START + 180_000 });
  });

  it.each(['login', 'Payroll', '__proto__', 'constructor'])(
    'is refused with 422-031-046 for the unregistered service %s',
    (service) => {
      const answer = makeEngine().engine.createPush({ ...pushFor(AMAL), service });
      expect(answer).toMatchObject({ ok: false, record: { code: '422-031-046' } });
    },
  );

  it.each([STRANGER, '1999999999', outcomeId(99)])(
    'is refused with 422-016-023 for %s, whom nobody listed',
    (nationalId) => {
      const answer = makeEngine().engine.createPush(pushFor(nationalId));
      expect(answer).toMatchObject({ ok: false, record: { code: '422-016-023' } });
    },
  );

  it('is refused with 400-034-050 while another waits for the same person', () => {
    const { engine, clock } = makeEngine();
    const first = ask(engine, AMAL);
    const second = engine.createPush(pushFor(AMAL));
    expect(second).toMatchObject({ ok: false, record: { code: '400-034-050' } });
    // Without the other push's number, with which a stranger could use the person's approval.
    expect(Object.keys(second)).toEqual(['ok', 'kind', 'record']);
    ask(engine, FAISAL);
    clock.advance(60_000);
    expect(ask(engine, AMAL).transactionId).not.toBe(first.transactionId);
  });

  it('is possible again as soon as the other one is decided, but not when it is ignored', () => {
    const { engine } = makeEngine();
    const first = ask(engine, AMAL);
    engine.decide({ promptId: first.promptId, decision: 'ignore' });
    expect(engine.createPush(pushFor(AMAL)).ok).toBe(false);
    engine.decide({ promptId: first.promptId, decision: 'refuse' });
    expect(engine.createPush(pushFor(AMAL)).ok).toBe(true);
  });
});

describe('a push as area A asks for it', () => {
  it('has six digits, leading zeros included, and lives as long as the attempt', () => {
    const { engine } = makeEngine();
    const codes = Array.from({ length: 200 }, () => ask(engine, AMAL, AREA_A));
    expect(codes.every(({ bindingCode }) => /^\d{6}$/.test(bindingCode))).toBe(true);
    expect(codes.some(({ bindingCode }) => bindingCode.startsWith('0'))).toBe(true);
    expect(codes[0]?.expiresAt).toBe(START + 300_000);
  });

  it('waits for a stranger too, as whom the default person signs in', () => {
    const { engine } = makeEngine();
    const { promptId } = ask(engine, STRANGER, AREA_A);
    const result = engine.decide({ promptId, decision: 'approve' });
    expect(result).toMatchObject({ prompt: { nationalId: STRANGER } });
    const prompt = engine.prompt(promptId);
    expect(prompt && engine.stateOf(prompt)).toMatchObject({ person: { id: 'amal' } });
  });

  it('lets several wait for one person', () => {
    const { engine } = makeEngine();
    ask(engine, AMAL, AREA_A);
    ask(engine, AMAL, AREA_A);
    expect(engine.prompts()).toHaveLength(2);
  });
});

describe('an outcome that comes too late', () => {
  it('does not wake a push that has expired before it', () => {
    const { engine, clock } = makeEngine();
    const answer = ask(engine, outcomeId(2), { lifetimeMs: 3000 });
    clock.advance(3000);
    expect(statusOf(engine, answer, outcomeId(2))).toEqual({ ok: true, status: 'EXPIRED' });
  });
});

describe('the status of a push', () => {
  it.each([
    ['approve', 'COMPLETED'],
    ['refuse', 'REJECTED'],
    ['not_me', 'REJECTED'],
    ['wrong_number', 'REJECTED'],
    ['ignore', 'WAITING'],
  ] as const)('after %s is %s', (decision, status) => {
    const { engine } = makeEngine();
    const answer = ask(engine, AMAL);
    expect(statusOf(engine, answer)).toEqual({ ok: true, status: 'WAITING' });
    engine.decide({ promptId: answer.promptId, decision });
    expect(statusOf(engine, answer)).toEqual({ ok: true, status });
  });

  it('is EXPIRED for 20 s after the expiry, then 400-034-051', () => {
    const { engine, clock } = makeEngine();
    const answer = ask(engine, AMAL);
    clock.advance(60_000);
    expect(statusOf(engine, answer)).toEqual({ ok: true, status: 'EXPIRED' });
    clock.advance(19_999);
    expect(statusOf(engine, answer)).toEqual({ ok: true, status: 'EXPIRED' });
    clock.advance(1);
    expect(statusOf(engine, answer)).toMatchObject({ record: { code: '400-034-051' } });
  });

  it('stays what it was decided to be, also long after', () => {
    const { engine, clock } = makeEngine();
    const answer = ask(engine, AMAL);
    engine.decide({ promptId: answer.promptId, decision: 'approve' });
    clock.advance(3_600_000);
    expect(statusOf(engine, answer)).toEqual({ ok: true, status: 'COMPLETED' });
  });

  it('is 400-034-053 for an unknown transaction, another person or another number', () => {
    const { engine } = makeEngine();
    const answer = ask(engine, AMAL);
    const other = answer.bindingCode === '00' ? '01' : '00';
    for (const wrong of [
      statusOf(engine, { ...answer, transactionId: REQUEST_ID }),
      statusOf(engine, answer, FAISAL),
      statusOf(engine, { ...answer, bindingCode: other }),
    ]) {
      expect(wrong).toMatchObject({ ok: false, record: { status: '400', code: '400-034-053' } });
    }
  });
});

describe('a session', () => {
  it('is a new one on each call and is remembered as something that waits', () => {
    const { engine } = makeEngine();
    const request = { requestId: REQUEST_ID, locale: 'en' } as const;
    const [one, other] = [engine.createSession(request), engine.createSession(request)];
    expect(one.session.hashedState).not.toBe(other.session.hashedState);
    expect(engine.prompts({ requestId: REQUEST_ID })).toHaveLength(2);
    expect(engine.prompt(one.promptId)).toMatchObject({
      kind: 'redirect',
      locale: 'en',
      session: { hashedState: one.session.hashedState },
    });
    expect(engine.promptFor('redirect', REQUEST_ID)?.id).toBe(other.promptId);
  });
});

describe('the prompt of a request that the caller keeps', () => {
  const request = {
    ...pushFor(AMAL),
    kind: 'push',
    bindingCode: '123456',
    createdAt: START,
    expiresAt: START + 300_000,
  } as const;

  it('is the same each time, with the id of its request', () => {
    const { engine } = makeEngine();
    const prompt = engine.promptOf(request);
    expect(prompt).toMatchObject({ id: REQUEST_ID, requestId: REQUEST_ID, bindingCode: '123456' });
    expect(engine.promptOf(request)).toEqual(prompt);
    expect(makeEngine().engine.promptOf(request)).toEqual(prompt);
  });

  it('is not kept, so no caller on the wire can list, displace or take it over', () => {
    const { engine } = makeEngine();
    const answer = ask(engine, AMAL, { ...AREA_A, isKept: false });
    expect(engine.prompt(answer.promptId)).toBeNull();
    engine.createPush({ ...pushFor('1900000001'), requestId: request.requestId });
    expect(engine.stateOf(engine.promptOf(request)).state).toBe('waiting');
    expect(engine.prompt(engine.promptOf(request).id)).toBeNull();
  });

  it('has what was decided at its time', () => {
    const { engine } = makeEngine();
    const at = START + 1;
    const refused = engine.promptOf(request, { decision: 'refuse', at });
    expect(engine.stateOf(refused)).toEqual({ state: 'rejected', reason: 'refused', at });
    const ignored = engine.promptOf(request, { decision: 'ignore', at });
    expect(ignored.ignored).toBe(true);
    expect(engine.isListed(ignored)).toBe(false);
  });

  it('is a sign-in page without a session for a request without a number', () => {
    const { engine } = makeEngine();
    const { nationalId: _nationalId, bindingCode: _bindingCode, ...page } = request;
    const prompt = engine.promptOf({ ...page, kind: 'redirect' });
    expect(prompt).toMatchObject({ kind: 'redirect', session: null, signer: { id: 'amal' } });
  });
});

describe('a decision', () => {
  it('can name somebody else, an outcome’s person included', () => {
    const { engine } = makeEngine();
    const one = ask(engine, AMAL, AREA_A);
    engine.decide({ promptId: one.promptId, decision: 'approve', personId: 'faisal' });
    const other = ask(engine, AMAL, AREA_A);
    engine.decide({ promptId: other.promptId, decision: 'approve', personId: 'outcome-01' });
    expect(engine.prompt(one.promptId)?.decided).toMatchObject({ person: { id: 'faisal' } });
    expect(engine.prompt(other.promptId)?.decided).toMatchObject({
      person: { nationalId: outcomeId(1) },
    });
  });

  it.each([
    ['unknown_prompt', { promptId: REQUEST_ID, decision: 'approve' }],
    ['unknown_person', { decision: 'approve', personId: 'nobody' }],
  ] as const)('is refused: %s', (reason, request) => {
    const { engine } = makeEngine();
    const { promptId } = ask(engine, AMAL);
    expect(engine.decide({ promptId, ...request })).toEqual({ ok: false, reason });
    expect(engine.prompts()).toHaveLength(1);
  });

  it('takes the prompt from the list of what waits', () => {
    const { engine } = makeEngine();
    const { promptId } = ask(engine, AMAL);
    engine.decide({ promptId, decision: 'refuse' });
    expect(engine.prompts()).toEqual([]);
  });
});

describe('the engine', () => {
  it('is deterministic: the same calls at the same times give the same answers', () => {
    const call = fc.record({
      wait: fc.integer({ min: 0, max: 30_000 }),
      nationalId: fc.constantFrom(AMAL, FAISAL, STRANGER, outcomeId(2), outcomeId(34)),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 12 }), (calls) => {
        const [one, other] = [makeEngine(), makeEngine()].map(({ engine, clock }) =>
          calls.map(({ wait, nationalId }) => {
            clock.advance(wait);
            return engine.createPush(pushFor(nationalId));
          }),
        );
        expect(one).toEqual(other);
      }),
    );
  });
});
