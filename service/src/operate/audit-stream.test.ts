import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/at-end.ts';
import type { AuditHead, AuditRow } from '../audit/audit.ts';
import { loadConfig } from '../config/config.ts';
import { cursorFile } from '../platform/files/cursor-file.ts';
import { parseDigest, type Digest } from '../values/secret.ts';
import { MINUTE_MS, type Ms } from '../values/time.ts';
import { examineStream } from './audit-stream.ts';

const HASH = parseDigest('h'.repeat(43)) as Digest;
const NOW: Ms = Date.parse('2026-01-31T12:00:00Z');

/** A log of three rows, a minute apart, of which the last is as old as that. */
function logOf(age: Ms) {
  const rows = [1, 2, 3].map((sequence) => ({
    sequence,
    at: NOW - age - (3 - sequence) * MINUTE_MS,
  })) as AuditRow[];
  return {
    containsHead: async ({ count, hash }: AuditHead) => count <= 3 && hash === HASH,
    readAudit: async ({ after }: { readonly after: number }) =>
      rows.filter(({ sequence }) => sequence > after).slice(0, 1),
  };
}

it.each<[string, string | null, Ms, string, RegExp]>([
  ['has all', `3 ${HASH}\n`, 60 * MINUTE_MS, 'ok', /has row 3 of the audit log/],
  ['has all but the last, of now', `2 ${HASH}\n`, 0, 'ok', /has row 2/],
  ['stands still', `2 ${HASH}\n`, 6 * MINUTE_MS, 'warning', /has not taken row 3 of 2026/],
  ['has never begun', null, 6 * MINUTE_MS, 'warning', /has not taken row 1 of 2026/],
  ['is before a restore', `9 ${HASH}\n`, 0, 'fault', /does not have row 9, .* it can't go on/],
  ['has another file', 'hello\n', 0, 'fault', /can't be read: .* is no file of --cursor/],
])('a reader that %s', async (_, content, age, severity, what) => {
  const file = join(temporaryFolder('audit-stream'), 'cursor');
  if (content !== null) writeFileSync(file, content);
  const { config } = loadConfig([], { AUDIT_CURSOR_FILE: file });
  const found = await examineStream(config, logOf(age), NOW);
  expect(found).toMatchObject([{ check: 'audit.stream', severity }]);
  expect(found[0]?.what).toMatch(what);
});

it('a place is looked at without a change, and written by who reads the log', async () => {
  const file = join(temporaryFolder('audit-stream'), 'cursor');
  expect(cursorFile(file).look()).toBeNull();
  cursorFile(file).write({ count: 3, hash: HASH });
  expect(cursorFile(file).look()).toEqual({ count: 3, hash: HASH });
  const { config } = loadConfig([], {});
  expect(await examineStream(config, logOf(0), NOW)).toEqual([]);
});
