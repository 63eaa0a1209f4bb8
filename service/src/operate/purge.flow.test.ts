import { describe, expect, it } from 'vitest';
import { REPLAY_WINDOW_MS } from '../attempt/redeem/idempotency.ts';
import { DAY_MS } from '../values/time.ts';
import type { PurgeBounds, PurgeCounts, Store } from '../store/ports/store.port.ts';
import { purge } from './purge.flow.ts';

const NOW = 1_800_000_000_000;

/** A store that only counts rows to remove. */
function storeWith(rows: PurgeCounts) {
  const asked: PurgeBounds[] = [];
  const left = { ...rows };
  const take = (kind: keyof PurgeCounts, limit: number) => {
    const taken = Math.min(left[kind], limit);
    left[kind] -= taken;
    return taken;
  };
  const store: Pick<Store, 'purge'> = {
    purge: async (bounds) => {
      asked.push(bounds);
      const { limit } = bounds;
      return {
        attempts: take('attempts', limit),
        tokens: take('tokens', limit),
        seals: take('seals', limit),
        openid: take('openid', limit),
      };
    },
  };
  return { store: store as Store, asked };
}

describe('a purge', () => {
  it('removes what outlived its retention, and the seals whose window has ended', async () => {
    const { store, asked } = storeWith({ attempts: 0, tokens: 0, seals: 0, openid: 0 });
    await purge(store, DAY_MS, NOW);
    expect(asked).toEqual([
      { expiredBefore: NOW - DAY_MS, redeemedBefore: NOW - REPLAY_WINDOW_MS, limit: 500 },
    ]);
  });

  it.each([
    [{ attempts: 1, tokens: 2, seals: 3, openid: 0 }, 1],
    [{ attempts: 499, tokens: 0, seals: 0, openid: 0 }, 1],
    [{ attempts: 500, tokens: 0, seals: 0, openid: 0 }, 2],
    [{ attempts: 0, tokens: 1700, seals: 0, openid: 0 }, 4],
    [{ attempts: 10, tokens: 10, seals: 1001, openid: 0 }, 3],
    [{ attempts: 0, tokens: 0, seals: 0, openid: 1200 }, 3],
  ])('goes on in small steps until nothing is left: %j', async (rows, steps) => {
    const { store, asked } = storeWith(rows);
    expect(await purge(store, DAY_MS, NOW)).toEqual(rows);
    expect(asked).toHaveLength(steps);
  });
});
