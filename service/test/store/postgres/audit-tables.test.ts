import { describe, expect, test } from 'vitest';
import { BrokenAudit } from '../../../src/audit/broken-audit.ts';
import { share } from '../../support/at-end.ts';
import { ask, migratedDatabase } from '../../support/postgres/databases.ts';
import { openInstance } from '../../support/postgres/instances.ts';

const GROWS = 'the audit log only grows at its end';
const STAYS = 'the audit log and its ends stay';

function append(url: string, ...added: number[]): Promise<unknown> {
  const rows = added.map(
    (sequence) => `(${sequence}, 1, 'token.issued', 'h${sequence - 1}', 'h${sequence}')`,
  );
  const columns = 'sequence, at, action, previous, hash';
  return ask(url, `INSERT INTO audit_log (${columns}) VALUES ${rows.join(', ')}`);
}

async function sequences(url: string): Promise<number[]> {
  const rows = await ask<{ sequence: string }>(url, 'SELECT sequence FROM audit_log ORDER BY 1');
  return rows.map(({ sequence }) => Number(sequence));
}

test('rows are added at the end, one or many, and the head moves with them', async () => {
  const url = await migratedDatabase();
  await append(url, 1);
  await append(url, 4, 2, 3);
  expect(await sequences(url)).toEqual([1, 2, 3, 4]);
  expect(await ask(url, 'SELECT * FROM audit_head')).toEqual([
    { id: '1', sequence: '4', hash: 'h4' },
  ]);
});

test.each([
  ['before the end', [2]],
  ['after a gap', [4]],
  ['with a gap', [3, 5]],
  ['in place of another', [1]],
])('a row is not added %s', async (_, added) => {
  const url = await migratedDatabase();
  await append(url, 1, 2);
  await expect(append(url, ...added)).rejects.toThrow(/only grows at its end|duplicate key/);
  expect(await sequences(url)).toEqual([1, 2]);
});

test('of two who add the same row at once, one is refused', async () => {
  const url = await migratedDatabase();
  const ends = await Promise.allSettled([append(url, 1), append(url, 1)]);
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await sequences(url)).toEqual([1]);
});

test('a refusal is a violated constraint, so that the connection is not blamed', async () => {
  const url = await migratedDatabase();
  await expect(append(url, 7)).rejects.toMatchObject({ code: '23000', message: GROWS });
});

describe('the log', () => {
  const database = share(async (atEnd) => {
    const url = await migratedDatabase(atEnd);
    await append(url, 1, 2, 3);
    return url;
  });

  const UPSERT = `INSERT INTO audit_log (sequence, at, action, previous, hash)
    VALUES (3, 1, 'other', 'h2', 'h') ON CONFLICT (sequence) DO UPDATE SET hash = 'h'`;
  const CHANGES: Readonly<Record<string, string>> = {
    "UPDATE audit_log SET detail = 'other' WHERE sequence = 2": 'the audit log never changes',
    [UPSERT]: 'the audit log never changes',
    'DELETE FROM audit_log WHERE sequence = 3': 'the audit log never shrinks after its anchor',
    'DELETE FROM audit_log WHERE sequence = 1': 'the audit log never shrinks after its anchor',
    'TRUNCATE audit_log': STAYS,
    'UPDATE audit_head SET sequence = 2': 'the head of the audit log only moves on',
    "UPDATE audit_head SET hash = 'other'": 'the head of the audit log only moves on',
    "UPDATE audit_head SET sequence = 4, hash = 'h4'": 'the head of the audit log only moves on',
    'DELETE FROM audit_head': STAYS,
    'TRUNCATE audit_head': STAYS,
    'UPDATE audit_anchor SET sequence = 0': 'the anchor of the audit log only moves on',
    "UPDATE audit_anchor SET proof = 'other'": 'the anchor of the audit log only moves on',
    'DELETE FROM audit_anchor': STAYS,
    'TRUNCATE audit_anchor': STAYS,
    "INSERT INTO audit_head VALUES (2, 3, 'h3')": 'audit_head_id_check',
    "INSERT INTO audit_anchor VALUES (2, 3, 'h3', 1, 'p')": 'audit_anchor_id_check',
  };

  test.each(Object.entries(CHANGES))('refuses %s', async (sql, message) => {
    await expect(ask(database(), sql)).rejects.toThrow(message);
    expect(await sequences(database())).toEqual([1, 2, 3]);
  });
});

test('the log loses rows up to its anchor, and none after it', async () => {
  const url = await migratedDatabase();
  await append(url, 1, 2, 3);
  await ask(url, 'UPDATE audit_anchor SET sequence = 2');
  await expect(ask(url, 'DELETE FROM audit_log')).rejects.toThrow('never shrinks');
  await ask(url, 'DELETE FROM audit_log WHERE sequence <= 2');
  expect(await sequences(url)).toEqual([3]);
  await append(url, 4);
  expect(await sequences(url)).toEqual([3, 4]);
});

test('S-87: a front that no key proves is not removed', async () => {
  const url = await migratedDatabase();
  await append(url, 1, 2, 3);
  const store = await openInstance(url);
  try {
    const cut = store.cutAudit({ before: 2, limit: 9, at: 9 });
    await expect(cut).rejects.toBeInstanceOf(BrokenAudit);
  } finally {
    await store.close();
  }
  expect(await sequences(url)).toEqual([1, 2, 3]);
});
