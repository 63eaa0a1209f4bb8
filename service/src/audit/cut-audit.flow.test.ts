import { expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../values/time.ts';
import { createMemoryStore } from '../store/index.ts';
import { cutAudit } from './cut-audit.flow.ts';

const NOW = 1_800_000_000_000;
const RETENTION = 30 * DAY_MS;

it('waits for a day’s worth, and then cuts all that is too old, however much', async () => {
  const store = createMemoryStore();
  const oldest = NOW - RETENTION - DAY_MS;
  for (let row = 0; row < 4500; row += 1) {
    await store.recordEvent({ at: oldest + row, action: 'token.replayed' });
  }
  await store.recordEvent({ at: NOW - MINUTE_MS, action: 'service.started' });
  expect(await cutAudit(store, RETENTION, NOW)).toBe(0);
  expect(await cutAudit(store, RETENTION, NOW + 1)).toBe(4500);
  const rows = await store.readAudit({ after: 0, limit: 10 });
  expect(rows.map(({ action, count }) => [action, count])).toEqual([
    ['service.started', null],
    ['audit.cut', 2000],
    ['audit.cut', 2000],
    ['audit.cut', 500],
  ]);
  expect(await store.verifyAudit()).toMatchObject({ ok: true, count: 4504 });
  expect(await cutAudit(store, RETENTION, NOW + 2)).toBe(0);
});
