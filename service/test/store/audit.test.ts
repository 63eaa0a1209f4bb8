import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EMPTY_AUDIT } from '../../src/audit/audit.ts';
import type { AuditVerdict } from '../../src/audit/audit-chain.ts';
import { BrokenAudit } from '../../src/audit/broken-audit.ts';
import type { RevocationScope, Store } from '../../src/store/ports/store.port.ts';
import { openSqliteStore, type SqliteStoreOptions } from '../../src/store/index.ts';
import { registerAuditHash } from '../support/store/audit-function.ts';
import {
  ACT,
  authentication,
  redemption,
  redirectTransaction,
  sampleAttempt,
  samplePerson,
  START,
} from '../conformance/samples.ts';
import { opened } from '../conformance/store-states.ts';
import { makeDirectory, testVault } from '../support/store/open-stores.ts';

const KEY = Buffer.alloc(32, 1);
const NEXT_KEY = Buffer.alloc(32, 2);
const ROWS = 2500;

let directory: string;

beforeEach(() => {
  directory = makeDirectory();
});

afterEach(() => rmSync(directory, { recursive: true }));

async function withStore<Result>(
  use: (store: Store) => Promise<Result>,
  options: Partial<SqliteStoreOptions> = {},
): Promise<Result> {
  const own = { directory, auditKeys: () => [KEY], onPoisoned: () => undefined };
  const store = await openSqliteStore({ ...own, ...options });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Six rows, of which somebody has written the fifth. */
async function appendSix(store: Store): Promise<void> {
  await appendMany(store, 4);
  await store.by(ACT).recordEvent({ at: START + 4, action: 'user.exported', client: 'app' });
  await store.recordEvent({ at: START + 5, action: 'token.replayed', client: 'app 5' });
}

function appendMany(store: Store, count: number): Promise<unknown> {
  const events = Array.from({ length: count }, (_, index) =>
    store.recordEvent({ at: START + index, action: 'token.replayed', client: `app ${index}` }),
  );
  return Promise.all(events);
}

/**
 * Changes the file as an attacker with write access, with or without removing the triggers first.
 */
function tamper(sql: string, { key = null as Buffer | null, withTriggers = false } = {}): void {
  const database = new DatabaseSync(join(directory, 'miftah.db'), { defensive: false });
  if (key !== null) registerAuditHash(database, key);
  const triggers = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'audit%'")
    .all();
  if (!withTriggers) for (const { name } of triggers) database.exec(`DROP TRIGGER ${String(name)}`);
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

function verify(options: Partial<SqliteStoreOptions> = {}): Promise<AuditVerdict> {
  return withStore((store) => store.verifyAudit(), options);
}

const PUT_BACK = `UPDATE audit_head SET sequence = 5,
  hash = (SELECT hash FROM audit_log WHERE sequence = 5)`;
/** Recomputes the chain, as an attacker with another key or none would. */
const CHAIN_ANEW = `
  UPDATE audit_log SET client = 'forged', hash = audit_hash(sequence, at, action, attempt_id, user_id,
    'forged', person_digest, detail, count, previous) WHERE sequence = 6;
  UPDATE audit_head SET hash = (SELECT hash FROM audit_log WHERE sequence = 6)`;

const CUT_ANEW = `
  UPDATE audit_anchor SET sequence = 3, at = 9, proof = audit_hash('anchor', 3, hash, 9),
    hash = (SELECT hash FROM audit_log WHERE sequence = 3);
  DELETE FROM audit_log WHERE sequence <= 3`;

const FORGERIES: readonly [string, string, object][] = [
  [
    'a changed client',
    "UPDATE audit_log SET client = 'x' WHERE sequence = 3",
    broken(3, 'changed'),
  ],
  [
    'a changed action',
    "UPDATE audit_log SET action = 'x' WHERE sequence = 1",
    broken(1, 'unproven'),
  ],
  [
    'an erased value',
    'UPDATE audit_log SET client = NULL WHERE sequence = 6',
    broken(6, 'changed'),
  ],
  [
    'a changed actor',
    "UPDATE audit_log SET actor = 'uid:1' WHERE sequence = 5",
    broken(5, 'changed'),
  ],
  [
    'an actor taken away',
    'UPDATE audit_log SET actor = NULL WHERE sequence = 5',
    broken(5, 'changed'),
  ],
  [
    'actor and reason taken away',
    'UPDATE audit_log SET actor = NULL, reason = NULL WHERE sequence = 5',
    broken(5, 'changed'),
  ],
  [
    'an actor added',
    "UPDATE audit_log SET actor = 'uid:1' WHERE sequence = 3",
    broken(3, 'changed'),
  ],
  [
    'an empty actor added',
    "UPDATE audit_log SET actor = '' WHERE sequence = 3",
    broken(3, 'changed'),
  ],
  ['another reason', "UPDATE audit_log SET reason = 'x' WHERE sequence = 5", broken(5, 'changed')],
  ['bytes in the place of no actor', withBytes('actor', 3), broken(3, 'changed')],
  ['bytes in the place of no reason', withBytes('reason', 3), broken(3, 'changed')],
  ['bytes in the place of no detail', withBytes('detail', 3), broken(3, 'changed')],
  [
    'actor and reason in each other’s place',
    'UPDATE audit_log SET actor = reason, reason = actor WHERE sequence = 5',
    broken(5, 'changed'),
  ],
  [
    'a reason moved to the client',
    'UPDATE audit_log SET client = reason, reason = client WHERE sequence = 5',
    broken(5, 'changed'),
  ],
  ['a changed hash', "UPDATE audit_log SET hash = 'x' WHERE sequence = 3", broken(3, 'changed')],
  [
    'another predecessor',
    "UPDATE audit_log SET previous = 'x' WHERE sequence = 3",
    broken(3, 'moved'),
  ],
  ['a lost row', 'DELETE FROM audit_log WHERE sequence = 3', broken(3, 'missing')],
  ['a lost first row', 'DELETE FROM audit_log WHERE sequence = 1', broken(1, 'missing')],
  ['rows in another order', swapped(3, 4), broken(3, 'moved')],
  ['a lost end', 'DELETE FROM audit_log WHERE sequence > 4', broken(5, 'truncated')],
  ['no rows', 'DELETE FROM audit_log', broken(1, 'truncated')],
  ['rows that the head does not know', PUT_BACK, broken(6, 'beyond')],
  ['no head', 'DELETE FROM audit_head', broken(0, 'head_lost')],
  ['another head', "UPDATE audit_head SET hash = '-'", broken(6, 'head_changed')],
  ['a row chained without the key', CHAIN_ANEW, broken(6, 'changed')],
  ['a front cut without the key', CUT_ANEW, broken(0, 'anchor_changed')],
  ['no anchor', 'DELETE FROM audit_anchor', broken(0, 'anchor_changed')],
];

/** Without STRICT the columns of the file take every type. */
function withBytes(column: string, sequence: number): string {
  return `PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'audit_log';
    PRAGMA writable_schema = RESET;
    UPDATE audit_log SET ${column} = x'2d' WHERE sequence = ${sequence}`;
}

function swapped(one: number, other: number): string {
  return `UPDATE audit_log SET sequence = -1 WHERE sequence = ${one};
    UPDATE audit_log SET sequence = ${one} WHERE sequence = ${other};
    UPDATE audit_log SET sequence = ${other} WHERE sequence = -1`;
}

function broken(sequence: number, fault: string) {
  return { ok: false, sequence, fault };
}

describe('S-82: verifying finds', () => {
  test.each(FORGERIES)('%s', async (_, sql, verdict) => {
    await withStore(async (store) => {
      await appendSix(store);
      expect(await store.verifyAudit()).toMatchObject({ ok: true, count: 6 });
      tamper(sql, { key: Buffer.alloc(0) });
      expect(await store.verifyAudit()).toEqual(verdict);
    });
  });

  test('nothing wrong in a log of several pages, and the one row that is', async () => {
    await withStore((store) => appendMany(store, ROWS));
    let pauses = 0;
    const pause = async () => void (pauses += 1);
    const verdict = await withStore((store) => store.verifyAudit(pause));
    expect(verdict).toMatchObject({ ok: true, count: ROWS });
    expect(pauses).toBeGreaterThan(1);
    tamper(`UPDATE audit_log SET at = at + 1 WHERE sequence = ${ROWS - 1}`);
    expect(await verify()).toEqual(broken(ROWS - 1, 'changed'));
  });

  test('an older end only with a head that was kept elsewhere', async () => {
    await withStore((store) => appendMany(store, 6));
    const kept = await verify();
    tamper(`DELETE FROM audit_log WHERE sequence = 6; ${PUT_BACK}`);
    const found = await verify();
    expect(found).toMatchObject({ ok: true, count: 5 });
    expect(found).not.toEqual(kept);
  });
});

/** Removes the last rows, and moves the head back. */
const cutTail = (rows: number) => `
  DELETE FROM audit_log WHERE sequence > (SELECT max(sequence) - ${rows} FROM audit_log);
  UPDATE audit_head SET sequence = (SELECT max(sequence) FROM audit_log),
    hash = (SELECT hash FROM audit_log ORDER BY sequence DESC LIMIT 1)`;

const TAILS: readonly [string, number, string, (store: Store) => Promise<unknown>][] = [
  ['a token that was issued', 1, 'token.issued', signIn],
  ['a sign-in as a whole', 2, 'token.issued', signIn],
  ['a token that was revoked', 1, 'token.revoked', revokedOne],
  ['a revocation of all', 1, 'token.revoked', revokedAll],
  ['an attempt that waits for its exchange', 1, 'attempt.authenticated', authenticated],
  ['an attempt that was refused', 1, 'attempt.rejected', (store) => ended(store, 'rejectAttempt')],
  ['an attempt that failed', 1, 'attempt.failed', (store) => ended(store, 'failAttempt')],
  ['an attempt that five wrong codes ended', 1, 'attempt.failed', missedFive],
  ['an attempt that another browser has spoiled', 1, 'attempt.failed', spoiledOne],
  ['a user who was disabled', 1, 'user.disabled', disabledOne],
];

async function authenticated(store: Store) {
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  await store.authenticateAttempt(authentication(attempt));
  return attempt;
}

async function revokedOne(store: Store): Promise<void> {
  const token = await store.redeemAttempt(redemption(await authenticated(store)));
  if (token !== null) await store.revokeToken(token.tokenId, token, START + 9);
}

async function revokedAll(store: Store): Promise<void> {
  await signIn(store);
  await store.revokeAll(START + 9, 'all');
}

async function ended(store: Store, how: 'rejectAttempt' | 'failAttempt'): Promise<void> {
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  await store[how]({ attemptId: attempt.attemptId, at: START + 9, reason: 'attempt.failed' });
}

async function missedFive(store: Store): Promise<void> {
  const { attemptId } = await authenticated(store);
  for (let miss = 0; miss < 5; miss += 1) await store.countWrongCode(attemptId, START + 9);
}

async function spoiledOne(store: Store): Promise<void> {
  const attempt = await opened(store, redirectTransaction(), { flow: 'oidc' });
  await store.authenticateAttempt(authentication(attempt));
  await store.spoilAttempt(attempt.attemptId, START + 9);
}

async function disabledOne(store: Store): Promise<void> {
  const token = await store.redeemAttempt(redemption(await authenticated(store)));
  if (token !== null) await store.disableUser(token.userId, START + 9);
}

describe('S-85: a tail that was cut off with its head is missed by', () => {
  test.each(TAILS)('%s', async (_, rows, action, happen) => {
    await withStore(async (store) => {
      await store.recordEvent({ at: START, action: 'service.started' });
      await happen(store);
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
    });
    tamper(cutTail(rows));
    expect(await verify()).toMatchObject({ ok: false, fault: 'unlogged', fact: { action } });
  });

  test('a token that says to be older than the log', async () => {
    await withStore(signIn);
    tamper(`${cutTail(1)}; UPDATE api_tokens SET created_at = 1`);
    const fact = { kind: 'token', action: 'token.issued' };
    expect(await verify()).toMatchObject({ ok: false, fault: 'unlogged', fact });
  });

  test('nobody, where nothing that is stored has lost its row', async () => {
    await withStore(async (store) => {
      await signIn(store);
      await appendMany(store, 5);
    });
    tamper(cutTail(5));
    expect(await verify()).toMatchObject({ ok: true, count: 2 });
  });
});

const CUT_OF_FIVE = { before: START + 5, limit: 9, at: START + 9 };
/** In a log of nine rows whose first two were cut off, and of which three more are old enough. */
const FRONTS: readonly [string, string, string][] = [
  ['a changed row', "UPDATE audit_log SET client = 'x' WHERE sequence = 4", 'Row 4 is wrong'],
  ['a changed first row', "UPDATE audit_log SET client = 'x' WHERE sequence = 3", 'Row 3 is wrong'],
  ['a changed last row', "UPDATE audit_log SET client = 'x' WHERE sequence = 5", 'Row 5 is wrong'],
  ['a row that looks old', 'UPDATE audit_log SET at = 1 WHERE sequence < 8', 'Row 3 is wrong'],
  ['lost a row', 'DELETE FROM audit_log WHERE sequence = 4', 'Row 4 is wrong'],
  ['lost its last row', 'DELETE FROM audit_log WHERE sequence = 5', 'Row 5 is wrong'],
  ['lost the first ones', 'DELETE FROM audit_log WHERE sequence < 6', 'Row 3 is wrong'],
  ['rows in another order', swapped(4, 5), 'Row 4 is wrong'],
  ['another anchor', CUT_ANEW, 'Row 0 is wrong'],
  ['no anchor', 'DELETE FROM audit_anchor', 'Row 0 is wrong'],
];

interface Undoing {
  readonly happen: (store: Store) => Promise<unknown>;
  readonly sql: string;
  readonly fact: { readonly kind: string; readonly action: string };
}

const BACK_TO_VALID = 'UPDATE api_tokens SET revoked_at = NULL';
const ENABLED = 'UPDATE users SET disabled_at = NULL';
const revoking = (scope: RevocationScope) => async (store: Store) => {
  await signIn(store);
  await store.revokeAll(START + 9, scope);
};
const undoneBy = (action: string) => ({ kind: 'token', action });
const RECOVERY = { at: START + 9, disabled: [], keptOut: [], lastUserId: 0, isContinued: true };

const UNDOINGS: Readonly<Record<string, Undoing>> = {
  'a revoked token is valid': {
    happen: revokedOne,
    sql: BACK_TO_VALID,
    fact: undoneBy('token.revoked'),
  },
  'a token of all that were revoked': {
    happen: revoking('all'),
    sql: BACK_TO_VALID,
    fact: undoneBy('tokens.revoked_all'),
  },
  'a token of a client': {
    happen: revoking({ client: 'simulator' }),
    sql: BACK_TO_VALID,
    fact: undoneBy('tokens.revoked_all'),
  },
  'a token of a user, whose attempt was removed': {
    async happen(store) {
      await revoking(await firstUser(store))(store);
      await store.purge({ expiredBefore: 0, redeemedBefore: START * 2, limit: 9 });
    },
    sql: `${BACK_TO_VALID}; DELETE FROM attempts`,
    fact: undoneBy('tokens.revoked_all'),
  },
  'a token of a revocation in steps': {
    async happen(store) {
      for (let count = 0; count < 3; count += 1) await signIn(store);
      const { last } = await store.revokeAll(START + 9, 'all', { after: null, limit: 2 });
      await store.revokeAll(START + 9, 'all', { after: last, limit: 2 });
    },
    sql: `${BACK_TO_VALID} WHERE token_id = (SELECT max(token_id) FROM api_tokens)`,
    fact: undoneBy('tokens.revoked_all'),
  },
  'a token that a restore has ended, of which the front was cut': {
    async happen(store) {
      await signIn(store);
      await store.restore(RECOVERY);
      await store.cutAudit({ before: START + 5, limit: 9, at: START + 9 });
    },
    sql: BACK_TO_VALID,
    fact: undoneBy('store.restored'),
  },
  'a disabled user is enabled': {
    happen: disabledOne,
    sql: ENABLED,
    fact: { kind: 'user', action: 'user.disabled' },
  },
  'a user who was enabled once, and disabled again': {
    async happen(store) {
      await disabledOne(store);
      const [user] = await store.listDisabled();
      if (user === undefined) throw new Error('nobody is disabled');
      await store.enableUser(user.id, START + 10);
      await store.disableUser(user.id, START + 11);
    },
    sql: ENABLED,
    fact: { kind: 'user', action: 'user.disabled' },
  },
};

async function firstUser(store: Store) {
  await signIn(store);
  const [userId] = await store.listUserIds(0, 1);
  return userId === undefined ? expect.unreachable('there is one') : { userId };
}

describe('S-85: what was undone in the store is missed', () => {
  test.each(Object.entries(UNDOINGS))('%s', async (_, { happen, sql, fact }) => {
    await withStore(async (store) => {
      await happen(store);
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
      tamper(sql);
      expect(await store.verifyAudit()).toMatchObject({ ok: false, fault: 'undone', fact });
    });
  });

  test('nothing is missed of what was issued after it, had ended before it, or is gone', () =>
    withStore(async (store) => {
      const stays = async () => expect(await store.verifyAudit()).toMatchObject({ ok: true });
      const attempt = await authenticated(store);
      const over = redemption(attempt);
      await store.redeemAttempt({ ...over, token: { ...over.token, expiresAt: START + 9 } });
      const { userId } = await firstUser(store);
      // The clock of whoever issues the next token is behind that of the command.
      await store.revokeAll(START + 9, 'all');
      await signIn(store);
      await stays();
      // It was interrupted after its first step.
      await signIn(store);
      await store.revokeAll(START + 20, { userId }, { after: null, limit: 1 });
      await store.revokeAll(START + 20, 'all', { after: null, limit: 1 });
      await stays();
      await store.restore(RECOVERY);
      await signIn(store);
      await store.disableUser(userId, START + 30);
      await store.enableUser(userId, START + 31);
      await stays();
      await revokedOne(store);
      await disabledOne(store);
      await store.purge({ expiredBefore: START * 2, redeemedBefore: START * 2, limit: 99 });
      await store.eraseUser({ userId, at: START + 40, pushesOf: [], keepsOut: true });
      await stays();
    }));
});

test('a row is under the key of the moment when its transaction is sent, and the log verifies with both', async () => {
  const keys = [KEY, NEXT_KEY];
  await withStore(
    async (store) => {
      await appendMany(store, 2);
      keys.reverse();
      await appendMany(store, 2);
      expect(await store.verifyAudit()).toMatchObject({ ok: true, count: 4 });
    },
    { auditKeys: () => keys },
  );
  expect(await withStore((store) => store.canVerifyAudit(), { auditKeys: () => [NEXT_KEY] })).toBe(
    true,
  );
  expect(await withStore((store) => store.canVerifyAudit(), { auditKeys: () => [KEY] })).toBe(
    false,
  );
});

describe('S-87: the front is cut', () => {
  test('and what is older than the cut is not missed, what is younger is', async () => {
    await withStore(async (store) => {
      await signIn(store);
      await appendMany(store, 3);
      await store.cutAudit({ before: START + 3, limit: 100, at: START + 9 });
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
      await revokedOne(store);
      expect(await store.verifyAudit()).toMatchObject({ ok: true });
    });
    tamper(cutTail(1));
    const fact = { action: 'token.revoked' };
    expect(await verify()).toMatchObject({ ok: false, fault: 'unlogged', fact });
  });

  test('by a service under another key than the rows', async () => {
    await withStore((store) => appendMany(store, 5));
    const next = { auditKeys: () => [NEXT_KEY, KEY] };
    await withStore((store) => store.cutAudit({ before: START + 3, limit: 9, at: START }), next);
    expect(await verify(next)).toMatchObject({ ok: true, count: 6 });
    expect(await verify()).toEqual(broken(0, 'anchor_changed'));
  });

  test.each(FRONTS)('and not where it has %s', async (_, sql, reason) => {
    await withStore(async (store) => {
      await appendMany(store, 8);
      await store.cutAudit({ before: START + 2, limit: 9, at: START + 9 });
      tamper(sql, { key: Buffer.alloc(0) });
      const found = await store.verifyAudit();
      expect(found).toMatchObject({ ok: false });
      await expect(store.cutAudit(CUT_OF_FIVE)).rejects.toThrow(reason);
      await expect(store.cutAudit(CUT_OF_FIVE)).rejects.toBeInstanceOf(BrokenAudit);
      await store.recordEvent({ at: START, action: 'token.replayed' });
      expect(await store.verifyAudit()).toEqual(found);
    });
  });

  test('rows of an earlier key go where it is given, and stay where it is not', async () => {
    await withStore((store) => appendMany(store, 8));
    const without = { auditKeys: () => [NEXT_KEY] };
    const next = { auditKeys: () => [NEXT_KEY, KEY] };
    await withStore((store) => appendMany(store, 2), next);
    await withStore(async (store) => {
      await expect(store.cutAudit(CUT_OF_FIVE)).rejects.toThrow(/^Row 1 is .* RETIRED_SECRET_KEYS/);
    }, without);
    await withStore(async (store) => {
      expect(await store.cutAudit(CUT_OF_FIVE)).toBe(5);
      expect(await store.cutAudit({ ...CUT_OF_FIVE, before: START + 9 })).toBe(5);
    }, next);
    // Nothing of the earlier key is left.
    expect(await verify(without)).toMatchObject({ ok: true, count: 12 });
  });

  test('of rows that were given up, page by page, and of those after them when they are proved', async () => {
    const given = { auditKeys: () => [NEXT_KEY] };
    await withStore((store) => appendMany(store, 4));
    await withStore(async (store) => {
      await store.forgetLost(START + 4);
      await appendMany(store, 4);
      for (const left of [2, 0, 0]) {
        expect(await store.cutAudit({ ...CUT_OF_FIVE, limit: 2 })).toBe(2);
        const verdict = await store.verifyAudit();
        expect(verdict).toMatchObject({ ok: true });
        expect('givenUp' in verdict).toBe(left > 0);
      }
    }, given);
  });

  test('of rows that look given up, and are not: the row that says so is not proved', async () => {
    await withStore((store) => appendMany(store, 8));
    tamper(`UPDATE audit_log SET client = 'x' WHERE sequence < 3;
      UPDATE audit_log SET action = 'people.forgotten' WHERE sequence = 7`);
    await withStore((store) =>
      expect(store.cutAudit(CUT_OF_FIVE)).rejects.toThrow('Row 1 is wrong'),
    );
  });
});

describe('S-82: the key', () => {
  test('another one proves nothing', async () => {
    await withStore((store) => appendMany(store, 2));
    expect(await verify({ auditKeys: () => [NEXT_KEY] })).toEqual(broken(1, 'unproven'));
    expect(await verify({ auditKeys: () => [new Uint8Array()] })).toEqual(broken(1, 'unproven'));
  });

  test('the earlier and the next may alternate, as while services change over', async () => {
    const next = { auditKeys: () => [NEXT_KEY, KEY] };
    const last = { auditKeys: () => [KEY, NEXT_KEY] };
    for (const keys of [{}, next, {}, next]) await withStore((store) => appendMany(store, 2), keys);
    for (const keys of [next, last]) {
      expect(await verify(keys)).toMatchObject({ ok: true, count: 8 });
    }
    expect(await verify()).toEqual(broken(3, 'unproven'));
  });

  test('the second of three is missing: its rows may be whole, and others are not', async () => {
    const third = Buffer.alloc(32, 3);
    for (const auditKey of [KEY, NEXT_KEY, third]) {
      await withStore((store) => appendMany(store, 3), { auditKeys: () => [auditKey] });
    }
    const without = { auditKeys: () => [third, KEY] };
    expect(await verify(without)).toEqual(broken(4, 'unproven'));
    tamper("UPDATE audit_log SET client = 'x' WHERE sequence = 2");
    expect(await verify(without)).toEqual(broken(2, 'changed'));
  });

  test('one that was given up leaves rows that nothing proves, and hides no other fault', async () => {
    const given = { auditKeys: () => [NEXT_KEY] };
    await withStore(async (store) => {
      await appendMany(store, 6);
      await store.cutAudit({ before: START + 3, limit: 9, at: START + 9 });
    });
    await withStore(async (store) => {
      await store.forgetLost(START);
      await appendMany(store, 3);
    }, given);
    // Its front was cut under the lost key too.
    expect(await verify(given)).toMatchObject({ ok: true, count: 11, givenUp: 7 });
    const both = { auditKeys: () => [NEXT_KEY, KEY] };
    expect(await verify(both)).not.toHaveProperty('givenUp');
    tamper('DELETE FROM audit_log WHERE sequence = 5');
    expect(await verify(given)).toMatchObject({ ok: false });
    expect(await verify(both)).toEqual(broken(5, 'missing'));
  });

  test('one that was given up stands for no row after that', async () => {
    const given = { auditKeys: () => [NEXT_KEY] };
    await withStore((store) => appendMany(store, 3));
    await withStore(async (store) => {
      await store.forgetLost(START);
      await appendMany(store, 3);
    }, given);
    tamper("UPDATE audit_log SET client = 'x' WHERE sequence = 6");
    expect(await verify(given)).toEqual(broken(6, 'changed'));
  });

  test('what was given up says nothing of a token that came after it', async () => {
    const given = { auditKeys: () => [NEXT_KEY] };
    await withStore((store) => appendMany(store, 3));
    await withStore(async (store) => {
      await store.forgetLost(START);
      await signIn(store);
    }, given);
    expect(await verify(given)).toMatchObject({ ok: true, givenUp: 3 });
    const missed = { ok: false, fault: 'unlogged', fact: { action: 'token.issued' } };
    tamper(cutTail(1));
    expect(await verify(given)).toMatchObject(missed);
    tamper('UPDATE audit_log SET at = 8000000000000000 WHERE sequence = 1');
    expect(await verify(given)).toMatchObject(missed);
    tamper(`UPDATE audit_log SET action = 'token.issued',
      attempt_id = (SELECT attempt_id FROM api_tokens) WHERE sequence = 1`);
    expect(await verify(given)).toMatchObject(missed);
  });

  test('a row that gives keys up, made without one, proves nothing', async () => {
    await withStore((store) => appendMany(store, 6));
    const forged = `UPDATE audit_log SET client = 'x' WHERE sequence < 4;
      UPDATE audit_log SET action = 'people.forgotten' WHERE sequence = 4`;
    tamper(forged);
    expect(await verify()).toEqual(broken(1, 'unproven'));
  });

  test('without any, the chain still shows what was changed by hand', async () => {
    const none = { auditKeys: () => [new Uint8Array()] };
    await withStore((store) => appendMany(store, 3), none);
    expect(await verify(none)).toMatchObject({ ok: true, count: 3 });
    tamper("UPDATE audit_log SET client = 'x' WHERE sequence = 2");
    expect(await verify(none)).toEqual(broken(2, 'changed'));
  });
});

describe('S-83: the tables refuse', () => {
  test.each([
    ['a changed row', "UPDATE audit_log SET client = 'x'", 'never changes'],
    ['a deleted row', 'DELETE FROM audit_log WHERE sequence = 2', 'never shrinks'],
    ['an anchor that stays', 'UPDATE audit_anchor SET hash = 1', 'only moves on'],
    ['an anchor that goes', 'DELETE FROM audit_anchor', 'anchor of the audit log stays'],
    ['a row in the place of another', replacing(2), 'only grows at its end'],
    ['a row after a gap', replacing(9), 'only grows at its end'],
    ['a head that goes back', PUT_BACK, 'only moves on'],
    ['a head that goes', 'DELETE FROM audit_head', 'head of the audit log stays'],
    ['a second head', "INSERT INTO audit_head VALUES (2, 0, '-')", 'CHECK constraint'],
  ])('%s', async (_, sql, reason) => {
    await withStore(async (store) => {
      await appendMany(store, 6);
      expect(() => tamper(sql, { withTriggers: true })).toThrow(reason);
      expect(await store.verifyAudit()).toMatchObject({ ok: true, count: 6 });
    });
  });

  test('S-80: a change that can not be written down, because the head is lost', async () => {
    const attempt = sampleAttempt();
    await withStore((store) => store.insertAttempt(attempt));
    tamper('DELETE FROM audit_head');
    await withStore(async (store) => {
      await expect(store.authenticateAttempt(authentication(attempt))).rejects.toThrow(Error);
      const found = await store.findAttempt(attempt.attemptId);
      expect(found).toEqual({ attempt, user: null });
    });
  });
});

function replacing(sequence: number): string {
  return `INSERT OR REPLACE INTO audit_log
    SELECT ${sequence}, at, action, NULL, NULL, client, NULL, NULL, NULL, previous, hash, NULL, NULL
    FROM audit_log WHERE sequence = 6`;
}

async function signIn(store: Store): Promise<void> {
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  await store.authenticateAttempt(authentication(attempt));
  await store.redeemAttempt(redemption(attempt));
}

test('S-81, S-82: the log goes on where it was after a restart', async () => {
  await withStore(signIn);
  await withStore(signIn);
  expect(await verify()).toMatchObject({ ok: true, count: 4 });
});

test('S-80: users that were sealed anew have a row together, and nobody is named', async () => {
  const people = [1, 2, 3].map(() => samplePerson());
  await withStore(
    async (store) => {
      for (const person of people) {
        const attempt = sampleAttempt();
        await store.insertAttempt(attempt);
        await store.authenticateAttempt(authentication(attempt, { person }));
      }
    },
    { vault: testVault(1) },
  );
  await withStore(
    async (store) => {
      const steps = [];
      for (const at of [START, START + 1, START + 2]) {
        steps.push((await store.rotateKeys(2, at)).sealed);
      }
      expect(steps).toEqual([2, 1, 0]);
      expect(await store.readAudit({ after: 3, limit: 10 })).toMatchObject([
        { action: 'keys.rotated', at: START, count: 2, userId: null, personDigest: null },
        { action: 'keys.rotated', at: START + 1, count: 1 },
      ]);
    },
    { vault: testVault(2, 1) },
  );
});

test('an empty log has the head that the domain gives it', async () => {
  const { count, hash } = EMPTY_AUDIT;
  expect(await verify()).toEqual({ ok: true, count, head: hash });
});
