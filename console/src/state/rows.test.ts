import { describe, expect, it } from 'vitest';
import type { Row } from '@miftah/contract/control';
import { shownReason, shownState, withNewest, MOST_ROWS, PAGE_ROWS, withChanges } from './rows.ts';

/** The attempt that began at a second of the day. */
function row(second: number, state = 'pending'): Row {
  const time = new Date(second * 1000).toISOString();
  const id = `attempt-${String(second).padStart(6, '0')}`;
  const rest = {
    flow: 'oidc',
    reason: null,
    scope: 'default',
    client: null,
    service: null,
    entries: 0,
    source: 'own' as const,
    planned: false,
    answered: false,
    person: null,
  };
  return { id, state, ...rest, created_at: time, expires_at: time };
}

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => row(from - index));
const seconds = (list: readonly Row[]) => list.map(({ id }) => Number(id.slice(-6)));

it('a cancelled attempt is not shown as one that the person refused', () => {
  const rejected = row(1, 'rejected');
  expect(shownState(rejected)).toBe('rejected');
  expect(shownState({ ...rejected, reason: 'attempt.cancelled' })).toBe('cancelled');
});

it('the reason is left out where the state says it', () => {
  const rejected = row(1, 'rejected');
  const reasonOf = (reason: string | null, state = 'rejected') =>
    shownReason({ ...rejected, state, reason });
  expect(reasonOf('attempt.rejected')).toBeNull();
  expect(reasonOf('attempt.cancelled')).toBeNull();
  expect(reasonOf(null, 'pending')).toBeNull();
  expect(reasonOf('provider.mismatch', 'failed')).toBe('provider.mismatch');
  expect(reasonOf('attempt.rejected', 'failed')).toBe('attempt.rejected');
});

describe('the list of attempts', () => {
  it('has what is new in its place, and what has changed where it was', () => {
    const list = withChanges([row(9), row(5), row(1)], [row(5, 'rejected'), row(7), row(12)]);
    expect(seconds(list)).toEqual([12, 9, 7, 5, 1]);
    expect(list[3]?.state).toBe('rejected');
  });

  it('keeps the order of attempts of one time by their ids', () => {
    const [first, second] = [
      { ...row(5), id: 'a' },
      { ...row(5), id: 'b' },
    ];
    expect(withChanges([first], [second])).toEqual([second, first]);
    expect(withChanges([second], [first])).toEqual([second, first]);
  });

  it('drops the oldest above its limit', () => {
    const list = withChanges(rows(MOST_ROWS, MOST_ROWS), [row(MOST_ROWS + 1)]);
    expect([list.length, seconds(list)[0], seconds(list).at(-1)]).toEqual([MOST_ROWS, 10_001, 2]);
  });

  it('has nothing after a restart that the simulator does not name', () => {
    expect(withNewest(rows(300, 300), [row(400)])).toEqual([row(400)]);
    expect(withNewest(rows(300, 300), [])).toEqual([]);
  });

  it('has no attempt of a file any more that the newest are named without', () => {
    const imported = { ...row(50), source: 'imported' as const };
    const list = withNewest([...rows(300, 200), imported], rows(300, PAGE_ROWS));
    expect(list.filter(({ source }) => source === 'imported')).toEqual([]);
  });

  it('keeps older attempts than those that a new connection names', () => {
    const list = withNewest(rows(300, 300), rows(310, PAGE_ROWS));
    expect([list.length, seconds(list)[0], seconds(list).at(-1)]).toEqual([310, 310, 1]);
  });
});
