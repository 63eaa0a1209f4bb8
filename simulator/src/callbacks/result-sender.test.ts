import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { InstantTimer } from '../../test/support/apps.ts';
import { AMAL, makeEngine, pushFor, REQUEST_ID } from '../../test/support/engines.ts';
import { madeBefore } from '../../test/support/keys.ts';
import { nextTurn } from '../../test/support/fakes.ts';
import { Mailbox, RELYING_PARTY, verified } from '../../test/support/relying-party.ts';
import { outcomeId } from '../engine/people/national-id.ts';
import type { Ms } from '../engine/ports.ts';
import type { Decision } from '../engine/prompts/prompts.ts';
import { KeyRing, keysInMemory } from '../keys/key-ring.ts';
import { TokenSigner } from '../keys/token-signer.ts';
import { MovableTime } from '../platform/movable-time.ts';
import type { Timer } from '../platform/timer.ts';
import { ResultSender } from './result-sender.ts';

const AUDIENCE = 'https://relying-party.example.test';

function makeSender(
  mailbox = new Mailbox(),
  timer: Timer = new InstantTimer(),
  makeKey = madeBefore(),
) {
  const { engine, clock } = makeEngine();
  const ring = new KeyRing(keysInMemory(), makeKey);
  const warnings: string[] = [];
  const resultSender = new ResultSender({
    engine,
    signer: new TokenSigner(ring),
    timer,
    time: new MovableTime(clock, timer),
    post: mailbox.post,
    address: RELYING_PARTY.pushUrl,
    log: { warn: (_facts, message) => warnings.push(message) },
  });
  const ask = (nationalId: string) => {
    const answer = engine.createPush(pushFor(nationalId));
    if (!answer.ok) throw new Error(`refused: ${answer.kind}`);
    return answer;
  };
  const accept = async (token = '') =>
    verified({ keys: [...(await ring.published(clock.now()))] }, token, {
      audience: AUDIENCE,
      now: clock.now(),
    });
  return { engine, clock, resultSender, mailbox, warnings, ask, accept };
}

/** Everything that is sent for one push to this identity. */
async function allFor(nationalId: string, mailbox = new Mailbox()) {
  const timer = new InstantTimer();
  const bench = makeSender(mailbox, timer);
  const { transactionId } = bench.ask(nationalId);
  await bench.resultSender.settled();
  return { ...bench, transactionId, waits: timer.waits };
}

async function afterDecision(decision: Decision, personId?: string) {
  const bench = makeSender();
  const { promptId, transactionId } = bench.ask(AMAL);
  bench.engine.decide({ promptId, decision, personId });
  await bench.resultSender.settled();
  return { ...bench, promptId, transactionId };
}

describe('a decision', () => {
  it.each([
    ['approve', 'COMPLETED'],
    ['refuse', 'REJECTED'],
    ['not_me', 'REJECTED'],
    ['wrong_number', 'REJECTED'],
  ] as const)('%s is sent as %s, signed and bound to the push', async (decision, status) => {
    const { mailbox, transactionId: transId, accept } = await afterDecision(decision);
    const address = RELYING_PARTY.pushUrl;
    const token = mailbox.tokens[0];
    expect(mailbox.received).toEqual([
      { address, body: { token, transId, requestId: REQUEST_ID } },
    ]);
    const claims = await accept(token);
    expect(claims).toMatchObject({ status, transId, ServiceName: 'Login', jti: REQUEST_ID });
    expect(claims.nbf).toBe(claims.iat);
    expect(claims['nin']).toBe(decision === 'approve' ? AMAL : undefined);
  });

  it('of a rejection names nobody', async () => {
    const { mailbox, accept } = await afterDecision('refuse');
    const registered = ['iss', 'aud', 'iat', 'exp', 'nbf', 'jti'];
    const claims = await accept(mailbox.tokens[0]);
    expect(Object.keys(claims)).toEqual([...registered, 'ServiceName', 'transId', 'status']);
  });

  it('names whoever approved', async () => {
    const { mailbox, accept } = await afterDecision('approve', 'hanae');
    expect(await accept(mailbox.tokens[0])).toMatchObject({ borderNumber: '4000011001' });
  });

  it('that puts the phone aside sends nothing, and neither does the expiry', async () => {
    const { mailbox, clock, resultSender, engine, promptId } = await afterDecision('ignore');
    clock.advance(600_000);
    expect(engine.decide({ promptId, decision: 'approve' }).ok).toBe(false);
    await resultSender.settled();
    expect(mailbox.received).toEqual([]);
  });

  it('on a sign-in page sends nothing', async () => {
    const { engine, resultSender, mailbox } = makeSender();
    const { promptId } = engine.createSession({ requestId: REQUEST_ID, locale: 'en' });
    engine.decide({ promptId, decision: 'approve' });
    await resultSender.settled();
    expect(mailbox.received).toEqual([]);
  });
});

describe('an outcome', () => {
  it.each([
    [1, 'COMPLETED', 100],
    [2, 'COMPLETED', 3100],
    [3, 'COMPLETED', 59_600],
    [10, 'REJECTED', 100],
    [11, 'REJECTED', 100],
    [12, 'REJECTED', 100],
    [14, 'REJECTED', 100],
    [40, 'COMPLETED', 100],
    [43, 'COMPLETED', 10_000],
    [44, 'EXPIRED', 60_100],
    [60, 'COMPLETED', 100],
    [61, 'COMPLETED', 100],
  ])('%i is sent as %s after %i ms', async (number, status, wait) => {
    const { mailbox, waits } = await allFor(outcomeId(number));
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(wait);
    expect(decodeJwt(mailbox.tokens[0] ?? '')['status']).toBe(status);
  });

  it('40 is sent twice, and both times the same', async () => {
    const { mailbox, accept } = await allFor(outcomeId(40));
    expect(mailbox.received).toHaveLength(2);
    const [first, second] = await Promise.all(mailbox.tokens.map(accept));
    expect(second?.['transId']).toBe(first?.['transId']);
  });

  it.each([13, 42, 41])('%i sends nothing by itself', async (number) => {
    const { mailbox } = await allFor(outcomeId(number));
    expect(mailbox.received).toEqual([]);
  });

  it('41 is sent when the answer to the request is about to go, and then no more', async () => {
    const { ask, resultSender, mailbox, accept } = makeSender();
    const { promptId, transactionId } = ask(outcomeId(41));
    await resultSender.deliverBeforeReply(promptId);
    await resultSender.settled();
    expect(mailbox.received).toHaveLength(1);
    expect(await accept(mailbox.tokens[0])).toMatchObject({ transId: transactionId });
  });

  it('41 does not hold the answer back from whoever waits for it before saying anything', async () => {
    const { ask, resultSender, mailbox } = makeSender();
    const answered = Promise.withResolvers<void>();
    mailbox.answersAfter = answered.promise;
    await resultSender.deliverBeforeReply(ask(outcomeId(41)).promptId);
    expect(mailbox.received).toHaveLength(1);
    answered.resolve();
    await resultSender.settled();
    expect(mailbox.received).toHaveLength(1);
  });

  it('41 is tried again after the answer when nobody took it before', async () => {
    const { ask, resultSender, mailbox } = makeSender(new Mailbox(null, 503));
    await resultSender.deliverBeforeReply(ask(outcomeId(41)).promptId);
    await resultSender.settled();
    expect(mailbox.received).toHaveLength(3);
  });

  it('41 is an ordinary one when its person decides by hand', async () => {
    const { mailbox } = await afterDecision('approve', 'outcome-41');
    expect(mailbox.received).toHaveLength(1);
  });

  it.each([1, 40, 42, 43, AMAL])('%s is not: its time is after the answer', async (who) => {
    const { ask, resultSender, mailbox } = makeSender();
    const { promptId } = ask(typeof who === 'number' ? outcomeId(who) : who);
    const before = mailbox.received.length;
    await resultSender.deliverBeforeReply(promptId);
    expect(before).toBe(0);
    await resultSender.settled();
    expect(mailbox.received.length).toBe(who === 1 || who === 43 ? 1 : who === 40 ? 2 : 0);
  });

  it.each([
    [50, /no applicable key/],
    [51, /unexpected "aud"/],
    [52, /"exp"/],
    [54, /alg|JWS|key/i],
  ])('%i is refused by whoever checks it', async (number, reason) => {
    const { mailbox, accept } = await allFor(outcomeId(number));
    await expect(accept(mailbox.tokens[0])).rejects.toThrow(reason);
    expect(decodeJwt(mailbox.tokens[0] ?? '')).toMatchObject({ nin: outcomeId(number) });
  });

  it('50 has a key name that is not published', async () => {
    const { mailbox } = await allFor(outcomeId(50));
    expect(decodeProtectedHeader(mailbox.tokens[0] ?? '')).toMatchObject({ alg: 'RS256' });
  });

  it('53 holds, and names somebody who was not asked', async () => {
    const { mailbox, accept, transactionId: transId } = await allFor(outcomeId(53));
    expect(await accept(mailbox.tokens[0])).toMatchObject({ nin: AMAL, transId });
  });

  it('gives way to a decision that is made before it', async () => {
    const { timer, wakeAll } = sleepingTimer();
    const { ask, engine, resultSender, mailbox } = makeSender(new Mailbox(), timer);
    const { promptId } = ask(outcomeId(2));
    engine.decide({ promptId, decision: 'refuse' });
    await wakeAll();
    await resultSender.settled();
    expect(mailbox.tokens.map((token) => decodeJwt(token)['status'])).toEqual(['REJECTED']);
  });

  it('44 tells of the expiry once, also when the phone was put aside', async () => {
    const { timer, wakeAll } = sleepingTimer();
    const { ask, engine, resultSender, mailbox } = makeSender(new Mailbox(), timer);
    const { promptId } = ask(outcomeId(44));
    engine.decide({ promptId, decision: 'ignore' });
    await wakeAll();
    await resultSender.settled();
    expect(mailbox.tokens.map((token) => decodeJwt(token)['status'])).toEqual(['EXPIRED']);
  });

  it('44 tells of an answer that comes before the expiry, and then no more', async () => {
    const { timer, wakeAll } = sleepingTimer();
    const { ask, engine, resultSender, mailbox } = makeSender(new Mailbox(), timer);
    const { promptId } = ask(outcomeId(44));
    engine.decide({ promptId, decision: 'approve' });
    await wakeAll();
    await resultSender.settled();
    expect(mailbox.tokens.map((token) => decodeJwt(token)['status'])).toEqual(['COMPLETED']);
  });

  it('does nothing any more when the phone was put aside', async () => {
    const { timer, wakeAll } = sleepingTimer();
    const { ask, engine, resultSender, mailbox } = makeSender(new Mailbox(), timer);
    const { promptId } = ask(outcomeId(2));
    engine.decide({ promptId, decision: 'ignore' });
    await wakeAll();
    await resultSender.settled();
    expect(mailbox.received).toEqual([]);
  });
});

describe('a relying party', () => {
  it.each([
    ['down, then up', [null, 200], [100, 1000]],
    ['failing, then not', [500, 503, 200], [100, 1000, 2000]],
    ['failing', [500, 500, 500, 500, 500, 200], [100, 1000, 2000, 4000, 8000]],
    ['of the opinion that it is wrong', [401, 200], [100]],
    ['pointing elsewhere', [302, 200], [100]],
    ['content', [200, 200], [100]],
    ['content with little', [204, 200], [100]],
  ])('that is %s is waited for so long: %o', async (_what, answers, expected) => {
    const { waits, mailbox } = await allFor(outcomeId(1), new Mailbox(...answers));
    expect(waits).toEqual(expected);
    expect(new Set(mailbox.tokens).size).toBe(1);
    expect(mailbox.received).toHaveLength(expected.length);
  });

  it.each([
    ['gives up on', [null, null, null, null, null], 'a callback could not be delivered'],
    ['notes a refusal of', [401], 'a callback was not accepted'],
  ])('%s it, without a word of what was in it', async (_what, answers, warning) => {
    const { warnings } = await allFor(outcomeId(1), new Mailbox(...answers));
    expect(warnings).toEqual([warning]);
  });
});

describe('a result that can not be signed', () => {
  it('is a line in the log, and nothing else stops', async () => {
    const { ask, resultSender, mailbox, warnings } = makeSender(undefined, undefined, noKey);
    ask(outcomeId(1));
    await resultSender.settled();
    expect(warnings).toEqual(['a callback failed']);
    expect(mailbox.received).toEqual([]);
  });
});

describe('closing', () => {
  it('drops what sleeps and waits for nothing else', async () => {
    const { timer } = sleepingTimer();
    const { ask, resultSender, mailbox } = makeSender(new Mailbox(), timer);
    ask(outcomeId(2));
    await resultSender.close();
    expect(mailbox.received).toEqual([]);
  });
});

describe('too many at once', () => {
  it('are not kept', async () => {
    const { timer } = sleepingTimer();
    const { engine, resultSender, warnings } = makeSender(new Mailbox(), timer);
    const many = { oneActive: false } as const;
    for (let count = 0; count <= 1000; count += 1) engine.createPush(pushFor(outcomeId(2)), many);
    expect(warnings).toEqual(['too many callbacks are under way: one is dropped']);
    await resultSender.close();
  });
});

/** A timer that sleeps until the test wakes or aborts it. */
function sleepingTimer() {
  const sleepers: Array<() => void> = [];
  const timer: Timer = {
    elapsed: () => 0,
    sleep(_ms: Ms, signal) {
      return new Promise((resolve) => {
        sleepers.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    },
  };
  /** Also what sleeps again after it was woken. */
  const wakeAll = async () => {
    while (sleepers.length > 0) {
      for (const wake of sleepers.splice(0)) wake();
      await nextTurn();
    }
  };
  return { timer, wakeAll };
}

function noKey(): Promise<never> {
  return Promise.reject(new Error('no key'));
}
