import { describe, expect, it } from 'vitest';
import type { Store, StoreHealth } from '../store/ports/store.port.ts';
import { unreadiness, warningsOf } from './readiness.flow.ts';

const BY_MACHINE = {
  follow: () => undefined,
  followDatabase: () => Promise.resolve(),
  machineAheadMs: null,
};
const IN_TIME = { ...BY_MACHINE, aheadMs: 30_000 };
const AHEAD = { ...BY_MACHINE, aheadMs: 30_001 };

const storeOf = (health: StoreHealth) => ({ health: () => health }) as unknown as Store;
const checksOf = (health: StoreHealth, time = IN_TIME) =>
  unreadiness(storeOf(health), time).map(({ check }) => check);

it.each([
  [
    {},
    /by itself when the right server accepts it with the settings that it has; other .* a restart/,
  ],
  [{ password: 'in_file' }, /Write DATABASE_URL .* into DATABASE_URL_FILE: .* again by itself\./],
  [{ password: 'unusable_file' }, /may not read it, or it names another host.* log .* by itself\./],
  [{ password: 'credential' }, /^(?!.*by itself).*etc\/miftah\/secrets\/database-url, and restart/],
  [{ password: 'fixed' }, /^(?!.*by itself).*Restart the service with the right DATABASE_URL/],
] as const)('a database that is away promises no more than is so: %o', (more, remedy) => {
  const health = { ready: false, reason: 'x', isAway: true, ...more } as const;
  const [failed] = unreadiness(storeOf(health), IN_TIME);
  expect(failed?.remedy).toMatch(remedy);
});

describe('what keeps the service from being ready', () => {
  it('is named by the check that failed, all of them together', () => {
    expect(checksOf({ ready: true })).toEqual([]);
    expect(checksOf({ ready: true }, AHEAD)).toEqual(['clock']);
    expect(checksOf({ ready: false, reason: 'x', isFull: true })).toEqual(['store.space']);
    expect(checksOf({ ready: false, reason: 'x', isAway: true })).toEqual(['store.away']);
    expect(checksOf({ ready: false, reason: 'x', isStalled: true })).toEqual(['store.stalled']);
    expect(checksOf({ ready: false, reason: 'x' }, AHEAD)).toEqual(['store', 'clock']);
  });

  it('says what to do, and keeps the words of the database for the log', () => {
    const said = 'connect ECONNREFUSED db.internal:5432 password=x';
    for (const health of [
      { ready: false, reason: said },
      { ready: false, reason: said, isFull: true },
      { ready: false, reason: said, isAway: true },
      { ready: false, reason: said, isStalled: true },
    ] as const) {
      for (const { reason, remedy, fault } of unreadiness(storeOf(health), IN_TIME)) {
        expect(fault).toBe(said);
        expect(reason + remedy).not.toContain('ECONNREFUSED');
        expect(remedy).toMatch(/\.$/);
      }
    }
  });
});

it.each([
  [30_000, null],
  [30_501, '31 s ahead of'],
  [-240_000, '240 s behind'],
])('a machine that is %i ms off the database is told of: %s', (machineAheadMs, said) => {
  const warnings = warningsOf({ ...IN_TIME, machineAheadMs });
  expect(warnings.map(({ check }) => check)).toEqual(said === null ? [] : ['clock.machine']);
  if (said !== null) expect(warnings[0]?.reason).toContain(said);
});

it('a database that was set back is named as what was set back', () => {
  const [failed] = unreadiness(storeOf({ ready: true }), { ...AHEAD, machineAheadMs: 0 });
  expect(failed?.reason).toContain('the clock of the database server was set back');
});
