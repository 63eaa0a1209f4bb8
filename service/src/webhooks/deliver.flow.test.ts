import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutboundError, type OutboundCall } from '../outbound/outbound.port.ts';
import { simulatorClient, type Client } from '../account/client.ts';
import { createMemoryStore } from '../store/index.ts';
import type { Store } from '../store/ports/store.port.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../values/time.ts';
import { Secret } from '../values/secret.ts';
import { createFakeClock, type FakeClock } from '../../test/support/service/fake-clock.ts';
import { attemptNumbered, nextSerial } from '../../test/conformance/samples.ts';
import { WebhookDeliveries, type WebhookNews } from './deliver.flow.ts';
import { clearOutbox, giveUpBeyond, measureWaiting, MOST_COUNTED } from './tend.flow.ts';
import { receiverId, WEBHOOK_EVENTS } from './webhook.ts';

const URL_OF = 'https://shop.example/hook';
const RECEIVER = receiverId('simulator', URL_OF);

function shop(secrets = [new Secret('one')]): Client {
  const receiver = {
    id: RECEIVER,
    url: URL_OF,
    secrets,
    secretIds: [],
    events: WEBHOOK_EVENTS,
  };
  return { ...simulatorClient('https://shop.example/'), webhooks: [receiver] };
}

let store: Store;
let clock: FakeClock;
beforeEach(() => {
  store = createMemoryStore();
  clock = createFakeClock();
});
afterEach(() => store.close());

type Answer = number | 'timeout' | 'busy';

interface Call extends OutboundCall {
  readonly address: string;
}

/** How many secrets have signed a call. */
const secretsOf = ({ headers }: Call) => new Map(headers).get('signed')?.split(' ')[1];

/** What is sent to a receiver that answers so. */
function deliveriesTo(answerTo: (call: Call, number: number) => Promise<Answer> | Answer) {
  const calls: Call[] = [];
  const news: WebhookNews[] = [];
  const errors: unknown[] = [];
  const tried: string[] = [];
  const deliveries = new WebhookDeliveries({
    outbox: store.outbox,
    outbound: {
      async fetch(address, call) {
        const sent = { ...call, address };
        calls.push(sent);
        const answer = await answerTo(sent, calls.length);
        if (typeof answer === 'string') throw new OutboundError(answer);
        return new Response(null, { status: answer });
      },
    },
    clock,
    machineClock: { now: () => 0 },
    nextTurn: turn,
    random: { bytes: (length) => new Uint8Array(length), digits: () => '9999' },
    meter: {
      webhookTried: (outcome, count = 1) =>
        void tried.push(...Array.from({ length: count }, () => outcome)),
    },
    sign: (id, body, secrets, at) => [['signed', `${id} ${secrets.length} ${at} ${body.length}`]],
    tell: (one) => void news.push(one),
    recorder: null,
    onError: (error) => void errors.push(error),
  });
  deliveries.follow([shop()]);
  return { deliveries, calls, news, errors, tried };
}

async function reject() {
  const attempt = attemptNumbered(nextSerial(), clock.now());
  await store.insertAttempt(attempt);
  const { attemptId } = attempt;
  await store.rejectAttempt({ attemptId, at: clock.now(), reason: 'attempt.rejected' });
  return attemptId;
}

const waiting = async () =>
  (await store.outbox.waiting(1000)).reduce((sum, { count }) => sum + count, 0);

describe('webhooks', () => {
  it('are sent when the change is committed, with the time of the machine', async () => {
    const { calls, tried } = deliveriesTo(() => 204);
    const attemptId = await reject();
    await expect.poll(() => tried).toEqual(['delivered']);
    const [call] = calls;
    const body = String(call?.body);
    expect(JSON.parse(body)).toEqual({
      type: 'attempt.rejected',
      timestamp: '2026-01-31T09:00:00+00:00',
      data: { attempt_id: attemptId, status: 'rejected', reason: 'attempt.rejected' },
    });
    const id = `${attemptId}_attempt_rejected_${RECEIVER}`;
    expect([...(call?.headers ?? [])]).toContainEqual(['signed', `${id} 1 0 ${body.length}`]);
    expect(await waiting()).toBe(0);
  });

  it('go on with the secrets of now, and end with the receiver, also while some are sent', async () => {
    const answers: ((status: number) => void)[] = [];
    const { deliveries, calls, tried } = deliveriesTo(
      () => new Promise<number>((resolve) => void answers.push(resolve)),
    );
    await reject();
    await expect.poll(() => calls.length).toBe(1);
    deliveries.follow([shop([new Secret('two'), new Secret('one')])]);
    await reject();
    answers[0]?.(204);
    await expect.poll(() => calls.length).toBe(2);
    expect(calls.map(secretsOf)).toEqual(['1', '2']);
    await reject();
    deliveries.follow([]);
    answers[1]?.(204);
    await expect.poll(() => tried.length).toBe(2);
    await deliveriesIdle();
    expect(calls).toHaveLength(2);
  });

  it('that are left of a receiver that is no more are in no number', async () => {
    const { deliveries } = deliveriesTo(() => 500);
    const lost = { receiver: 'lost', client: 'simulator', events: WEBHOOK_EVENTS };
    const good = { ...lost, receiver: RECEIVER };
    store.outbox.tellTo([lost]);
    await Promise.all(Array.from({ length: MOST_COUNTED }, reject));
    store.outbox.tellTo([good]);
    clock.advance(1);
    await reject();
    await store.outbox.switchOff({ ...good, at: clock.now() });
    const shown: number[][] = [];
    const show = () =>
      measureWaiting(
        store.outbox,
        {
          webhooksStanding: ({ waiting: count, oldestMs, switchedOff }) =>
            void shown.push([count, oldestMs, switchedOff]),
        },
        { now: clock.now() + 5, receivers: deliveries.receivers },
      );
    await show();
    deliveries.follow([]);
    await show();
    expect(shown).toEqual([
      [1, 5, 1],
      [0, 0, 0],
    ]);
  });

  it('that a receiver does not want hold up no others', async () => {
    const unwanted = new Set<string>();
    const { deliveries, calls, tried } = deliveriesTo(({ body }) =>
      [...unwanted].some((id) => String(body).includes(id)) ? 400 : 204,
    );
    for (let index = 0; index < 12; index += 1) {
      // Before it is told of, which is in a later turn.
      const told = reject();
      unwanted.add(await told);
    }
    await expect.poll(() => tried.length).toBeGreaterThanOrEqual(12);
    await deliveriesIdle();
    const before = calls.length;
    const wanted = await reject();
    deliveries.look();
    await expect.poll(() => tried.at(-1)).toBe('delivered');
    expect(String(calls.at(-1)?.body)).toContain(wanted);
    expect(calls.length).toBe(before + 1);
  });

  it.each([
    { answer: 500, longestMs: 5 * MINUTE_MS, most: 400 },
    { answer: 400, longestMs: 2 * HOUR_MS, most: 30 },
  ])('answered by $answer are tried again, and given up after a day', async (kind) => {
    const { deliveries, calls, news, tried } = deliveriesTo(() => kind.answer);
    await reject();
    const waits = [];
    let last = clock.now();
    while (news.length < 2 && calls.length < 1000) {
      const before = calls.length;
      deliveries.look();
      await expect.poll(() => tried.length).toBe(calls.length);
      await deliveriesIdle();
      if (calls.length > before) {
        waits.push(clock.now() - last);
        last = clock.now();
      }
      clock.advance(SECOND_MS * 30);
    }
    const whose = { client: 'simulator', receiver: RECEIVER };
    expect(news).toEqual([
      { news: 'failing', ...whose, answer: String(kind.answer) },
      { news: 'given_up', ...whose },
    ]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(kind.longestMs + MINUTE_MS);
    expect(Math.max(...waits)).toBeGreaterThanOrEqual(kind.longestMs / 2);
    expect(waits.toSorted((one, other) => one - other).slice(0, 4)).toEqual(waits.slice(0, 4));
    expect(calls.length).toBeGreaterThan(12);
    expect(calls.length).toBeLessThan(kind.most);
    const [given] = await store.outbox.givenUp(null, 9);
    expect(given).toMatchObject({ answer: String(kind.answer), tries: calls.length });
    expect((given?.endedAt ?? 0) - (given?.since ?? 0)).toBeGreaterThanOrEqual(DAY_MS);
  });

  it('that fail are told once for each row of failures, and at most each ten minutes', async () => {
    let answer: Answer = 400;
    const { deliveries, news, tried } = deliveriesTo(() => answer);
    const told = async (next: Answer, count: number) => {
      answer = next;
      await reject();
      deliveries.look();
      await expect.poll(() => tried.length).toBe(count);
      await deliveriesIdle();
    };
    await told(400, 1);
    await told('timeout', 2);
    clock.advance(MINUTE_MS);
    await told(204, 5);
    await told(400, 6);
    expect(news.map((one) => one.answer)).toEqual(['400']);
    await told(204, 7);
    clock.advance(10 * MINUTE_MS);
    await told(404, 9);
    expect(news.map((one) => one.answer)).toEqual(['400', '404']);
  });

  it('of which more wait than are kept are given up, the longest first, in pieces', async () => {
    const { deliveries, news, tried } = deliveriesTo(() => 503);
    store.outbox.tellTo([{ receiver: RECEIVER, client: 'simulator', events: WEBHOOK_EVENTS }]);
    const ids = [];
    for (let one = 0; one < 6; one += 1) {
      ids.push(await reject());
      clock.advance(SECOND_MS);
    }
    await deliveries.keepBounds(6);
    expect(news).toEqual([]);
    const beyond = giveUpBeyond(store.outbox, { receiver: RECEIVER, at: clock.now() }, 4, 1);
    expect(await beyond).toBe(2);
    await deliveries.keepBounds(2);
    const given = (await store.outbox.givenUp(null, 9)).map(({ attemptId }) => attemptId);
    expect(new Set(given)).toEqual(new Set(ids));
    expect(news).toMatchObject([{ news: 'too_many', receiver: RECEIVER, count: 4 }]);
    expect(tried.filter((one) => one === 'given_up')).toHaveLength(4);
  });

  it('that were not answered in time are sent again with the same id', async () => {
    const { deliveries, calls, tried } = deliveriesTo((_, number) =>
      number === 1 ? 'timeout' : 200,
    );
    await reject();
    await expect.poll(() => tried).toEqual(['failed']);
    await deliveriesIdle();
    clock.advance(MINUTE_MS);
    deliveries.look();
    await expect.poll(() => tried).toEqual(['failed', 'delivered']);
    const ids = calls.map(({ headers }) => [...headers].at(-1)?.[1]);
    expect(ids[0]).toBe(ids[1]);
  });

  it('leave a receiver that fails alone, and ask it with one call at a time', async () => {
    let under = 0;
    let most = 0;
    const { deliveries, calls, tried } = deliveriesTo(async () => {
      under += 1;
      most = Math.max(most, under);
      await turn();
      under -= 1;
      return 503;
    });
    store.outbox.tellTo([{ receiver: RECEIVER, client: 'simulator', events: WEBHOOK_EVENTS }]);
    for (let one = 0; one < 40; one += 1) await reject();
    deliveries.look();
    await expect.poll(() => tried.length).toBe(8);
    await deliveriesIdle();
    expect(most).toBe(8);
    for (let look = 0; look < 5; look += 1) deliveries.look();
    await deliveriesIdle();
    expect(calls).toHaveLength(8);
    most = 0;
    clock.advance(MINUTE_MS);
    deliveries.look();
    await expect.poll(() => tried.length).toBe(9);
    await deliveriesIdle();
    expect(most).toBe(1);
  });

  it('are sent without a lease while no more are on their way than a receiver gets at a time', async () => {
    const lease = vi.spyOn(store.outbox, 'lease');
    const held = Promise.withResolvers<number>();
    const { deliveries, calls, tried } = deliveriesTo(() => held.promise);
    await Promise.all(Array.from({ length: 12 }, reject));
    await expect.poll(() => calls.length).toBe(8);
    await deliveriesIdle();
    expect([calls.length, lease.mock.calls.length]).toEqual([8, 0]);
    deliveries.look();
    await reject();
    await deliveriesIdle();
    expect(calls.length).toBe(8);
    held.resolve(204);
    await expect.poll(() => tried.length).toBe(13);
    await deliveriesIdle();
    lease.mockClear();
    await reject();
    await expect.poll(() => tried.length).toBe(14);
    expect(lease).not.toHaveBeenCalled();
    expect(new Set(calls.map(({ body }) => body)).size).toBe(14);
  });

  it('that found no place, or whose receiver is no more, are given back', async () => {
    const held = Promise.withResolvers<number>();
    const { deliveries, calls, tried } = deliveriesTo(() => held.promise);
    store.outbox.tellTo([{ receiver: RECEIVER, client: 'simulator', events: WEBHOOK_EVENTS }]);
    for (let one = 0; one < 8; one += 1) await reject();
    deliveries.follow([shop()]);
    const attempts = Array.from({ length: 4 }, () => attemptNumbered(nextSerial(), clock.now()));
    await Promise.all(attempts.map((one) => store.insertAttempt(one)));
    const ends = attempts.map(({ attemptId }) =>
      store.rejectAttempt({ attemptId, at: clock.now(), reason: 'attempt.rejected' }),
    );
    // As if those had been under way for long: others take their place.
    deliveries.look();
    await Promise.all(ends);
    await deliveriesIdle();
    expect(calls.length).toBe(8);
    held.resolve(204);
    await expect.poll(() => tried.length).toBe(12);
    await deliveriesIdle();
    const last = await reject();
    deliveries.follow([]);
    await deliveriesIdle();
    expect(calls.length).toBe(12);
    expect(await store.outbox.ofAttempt(last)).toMatchObject([{ tries: 0, nextAt: clock.now() }]);
  });

  it('that fail together are one failure of the receiver', async () => {
    const { deliveries, calls, tried } = deliveriesTo(() => 503);
    await Promise.all(Array.from({ length: 8 }, reject));
    await expect.poll(() => tried.length).toBe(8);
    await deliveriesIdle();
    clock.advance(5 * SECOND_MS);
    deliveries.look();
    await expect.poll(() => calls.length).toBe(9);
    await deliveriesIdle();
  });

  it('switch a receiver off that answers 410, tell so once, and send it nothing more', async () => {
    const { deliveries, calls, news } = deliveriesTo(() => 410);
    store.outbox.tellTo([{ receiver: RECEIVER, client: 'simulator', events: WEBHOOK_EVENTS }]);
    for (let one = 0; one < 20; one += 1) await reject();
    deliveries.look();
    await expect.poll(() => news.length).toBe(1);
    await deliveriesIdle();
    const sent = calls.length;
    await reject();
    clock.advance(HOUR_MS);
    deliveries.look();
    await deliveriesIdle();
    expect(calls).toHaveLength(sent);
    expect(news).toEqual([{ news: 'switched_off', client: 'simulator', receiver: RECEIVER }]);
    expect(await waiting()).toBe(0);
    expect(await store.outbox.givenUp(null, 99)).toHaveLength(20);
  });

  it('that found no turn are not tries of the receiver', async () => {
    const { deliveries, tried, errors } = deliveriesTo((_, number) =>
      number === 1 ? 'busy' : 200,
    );
    const attemptId = await reject();
    await deliveriesIdle();
    clock.advance(2 * SECOND_MS);
    deliveries.look();
    await expect.poll(() => tried).toEqual(['delivered']);
    expect(await store.outbox.ofAttempt(attemptId)).toMatchObject([{ tries: 1 }]);
    expect(errors).toEqual([]);
  });

  it('are sent by somebody else when the one who had leased them is gone', async () => {
    const never = Promise.withResolvers<Answer>();
    const dead = deliveriesTo(() => never.promise);
    await reject();
    await expect.poll(() => dead.calls.length).toBe(1);
    const { deliveries, calls, tried } = deliveriesTo(() => 200);
    deliveries.look();
    await deliveriesIdle();
    expect(calls).toEqual([]);
    clock.advance(MINUTE_MS);
    deliveries.look();
    await expect.poll(() => tried).toEqual(['delivered']);
    never.resolve(500);
    await expect.poll(() => dead.tried).toEqual(['failed']);
    expect(await waiting()).toBe(0);
  });

  it('that can not be written down hold up no others, and a stop waits for those', async () => {
    store.outbox.tellTo([{ receiver: RECEIVER, client: 'simulator', events: WEBHOOK_EVENTS }]);
    await reject();
    await reject();
    const held = Promise.withResolvers<number>();
    const { deliveries, calls, errors } = deliveriesTo((_, number) =>
      number === 1 ? 204 : held.promise,
    );
    vi.spyOn(store.outbox, 'delivered').mockRejectedValueOnce(new Error('no space'));
    deliveries.look();
    await deliveriesIdle();
    await reject();
    deliveries.look();
    await deliveriesIdle();
    expect(calls.length).toBe(2);
    let isStopped = false;
    const stopping = deliveries.stop().then(() => (isStopped = true));
    await deliveriesIdle();
    expect(isStopped).toBe(false);
    held.resolve(204);
    await stopping;
    expect(errors).toEqual([new Error('no space')]);
  });

  it('of a receiver that works again are sent eight at a time, wanted or not', async () => {
    const answers = [503, 400];
    const { deliveries, calls } = deliveriesTo((_, number) => answers[number - 1] ?? held.promise);
    const held = Promise.withResolvers<number>();
    await reject();
    await deliveriesIdle();
    expect(calls.length).toBe(1);
    for (let one = 0; one < 9; one += 1) await reject();
    clock.advance(MINUTE_MS);
    deliveries.look();
    await expect.poll(() => calls.length).toBe(2 + 8);
    held.resolve(204);
    await deliveries.stop();
  });

  it('of a receiver that was away for a day are given up without a try, and kept a week', async () => {
    store.outbox.tellTo([{ receiver: RECEIVER, client: 'simulator', events: WEBHOOK_EVENTS }]);
    await reject();
    clock.advance(DAY_MS + SECOND_MS);
    await clearOutbox(store.outbox, clock.now());
    expect(await store.outbox.givenUp(null, 9)).toMatchObject([{ tries: 0, answer: null }]);
    clock.advance(7 * DAY_MS + SECOND_MS);
    await clearOutbox(store.outbox, clock.now());
    expect(await store.outbox.givenUp(null, 9)).toEqual([]);
  });
});

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Until the reads and writes of a round are through: each is some turns of the event loop. */
async function deliveriesIdle(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await turn();
}
