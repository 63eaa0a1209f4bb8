import { describe, expect, it } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { chooseSeed, seededRandom } from '../support/faults/seeded-random.ts';
import {
  Arrived,
  expectedOf,
  forgetStored,
  wrongOf,
  type Known,
} from '../support/faults/webhooks/compare.ts';
import { runWebhooks, type WebhookReport } from '../support/faults/webhooks/run.ts';
import { comparedStarts, slowerBeside } from '../support/faults/webhooks/starts.ts';
import type { Outcome } from '../support/faults/webhooks/told-store.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';

/**
 * Very many ends, told to receivers of which most do not work, by instances that are killed meanwhile.
 * At length: `npm run faults -- --only webhooks`.
 */

const SIZE = {
  changes: atLength(20_000, 400),
  byRequests: atLength(10_000, 240),
  kills: atLength(4, 1),
  measured: {
    rounds: atLength(6, 1),
    count: atLength(160, 20),
    unmeasured: atLength(20, 5),
    perSecond: 40,
  },
};

async function run(url: string | null): Promise<WebhookReport> {
  const seed = chooseSeed();
  const report = await runWebhooks({ ...SIZE, url, seed });
  console.log(`webhooks, TEST_SEED=${seed}: ${JSON.stringify(report)}`);
  return report;
}

function expectAllTold({ faults, told, expected, started, repeated, kills }: WebhookReport): void {
  expect(faults).toEqual([]);
  expect(told).toBeGreaterThanOrEqual(expected);
  // Without these it would prove nothing.
  expect(started).toBeGreaterThan(SIZE.changes / 2);
  expect(expected).toBeGreaterThan(SIZE.changes / 2);
  expect(repeated).toBeGreaterThan(0);
  expect(kills).toBe(SIZE.kills);
}

it('one instance on a file tells each end that is committed, and no other, beside receivers that fail', async () => {
  const report = await run(null);
  expectAllTold(report);
  expect(report.givenUp).toBeGreaterThan(SIZE.changes / 2);
});

it('two instances on one database tell each end that is committed, and no other', async () => {
  const report = await run(await emptyDatabase());
  expectAllTold(report);
  expect(report.waiting).toBeGreaterThan(SIZE.changes / 2);
});

const RECEIVER = { id: 'receiver', client: 'bank', manner: 'good' } as const;
const idOf = (attempt: string, event = 'rejected') => `${attempt}_attempt_${event}_receiver`;
const end = (attemptId: string, events = ['attempt.rejected']) => ({
  attemptId,
  client: 'bank',
  events,
});
const ENDS = [end('one'), end('two'), { ...end('other'), client: 'shop' }];
const found = (
  told: string[],
  rows: [string, Outcome][] = [],
  {
    ends = ENDS,
    untold = new Set(),
    haveExpired = false,
  }: Partial<Known & { ends: typeof ENDS }> = {},
) =>
  wrongOf(
    expectedOf({ untold, haveExpired }, ends, RECEIVER),
    new Map(rows),
    { ...RECEIVER, told: new Set(told) },
    told,
  );
const missing = (id: string) => {
  const acknowledged = new Set([id]);
  forgetStored(acknowledged, [...ENDS, end('open', [])]);
  return [...acknowledged];
};

const times = (from: number) => Array.from({ length: 200 }, (_, index) => from + index / 100);

const round = (beside: number) => ({
  alone: times(1),
  loaded: times(10),
  control: times(10),
  beside: times(beside),
});
const slower = (...besides: number[]) =>
  slowerBeside(comparedStarts(besides.map(round), seededRandom(1)));

describe('what these tests compare', () => {
  it('is right where each is told, or waits, or was given up', () => {
    expect(found([idOf('one'), idOf('two')])).toEqual([]);
    expect(found([idOf('one')], [[idOf('two'), 'waiting']])).toEqual([]);
    expect(found([idOf('one')], [[idOf('two'), 'given_up']])).toEqual([]);
    expect(missing('one')).toEqual([]);
  });

  it('is wrong where one is lost, was invented, or is not stored', () => {
    expect(found([idOf('one')])).toEqual([expect.stringContaining('is lost')]);
    const marked: [string, Outcome][] = [[idOf('two'), 'delivered']];
    expect(found([idOf('one')], marked)).toEqual([expect.stringContaining('is lost')]);
    const more = found([idOf('one'), idOf('two'), idOf('three')]);
    expect(more).toEqual([expect.stringContaining('has not happened')]);
    const untold = { untold: new Set(['two']) };
    expect(found([idOf('one'), idOf('two')], [], untold)).toHaveLength(1);
    expect([missing('three'), missing('open')]).toEqual([['three'], ['open']]);
  });

  it('has an expiry where the time was moved', () => {
    const open = { ends: [end('one', [])], haveExpired: true };
    expect(found([], [], open)).toHaveLength(1);
    expect(found([idOf('one', 'expired')], [], open)).toEqual([]);
    expect(found([], [], { ...open, haveExpired: false })).toEqual([]);
  });

  it('goes over what has arrived as over the store, and leaves none out', () => {
    const arrived = new Arrived(['c_3', 'a_1', 'b_2', 'a_0']);
    expect([arrived.upTo('a'), arrived.upTo('b'), arrived.rest()]).toEqual([
      ['a_0', 'a_1'],
      ['b_2'],
      ['c_3'],
    ]);
    expect(arrived.upTo('f')).toEqual(['c_3']);
    expect(arrived.rest()).toEqual([]);
  });

  it('finds what receivers cost a start, and nothing in a round in which the machine stood still', () => {
    const quiet = { alone: times(4), loaded: times(5), control: times(5), beside: times(10) };
    const stalled = { ...quiet, loaded: times(90), control: times(40) };
    const rounds = [quiet, stalled, quiet, quiet, quiet];
    const compared = comparedStarts(rounds, seededRandom(1));
    expect(compared).toMatchObject({
      beside: 11.98,
      loaded: 6.98,
      alone: 5.98,
      medians: { beside: 11, loaded: 6, alone: 5 },
      bare: { is: 2, from: 2, to: 2 },
    });
    expect(compared.ratio).toMatchObject({ is: 1.72, to: 1.72 });
    expect(compared.control).toMatchObject({ is: 1, to: 1 });
  });

  it('is slower where even the lower end of what was measured is, and not by chance', () => {
    expect(slower(10, 10, 10, 10, 10, 10)).toEqual([]);
    // 1.16 times, and 1.14 times.
    expect(slower(12, 12, 12, 12, 12, 12)).toEqual([
      'p99 of starts is 13.98 ms beside receivers and 11.98 ms on a machine loaded alike',
    ]);
    expect(slower(11.7, 11.7, 11.7, 11.7, 11.7, 11.7)).toEqual([]);
    // The middle is 1.5 times, and half of the rounds are as if there was nothing.
    expect(slower(10, 10, 10, 22, 22, 22)).toEqual([]);
  });
});
