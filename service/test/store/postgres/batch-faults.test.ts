import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { atLength } from '../../../../scripts/test-length.ts';
import type { AttemptRecord } from '../../../src/attempt/attempt.ts';
import type { Store } from '../../../src/store/ports/store.port.ts';
import {
  authentication,
  redemption,
  sampleAttempt,
  START,
  tokenNumbered,
} from '../../conformance/samples.ts';
import { authenticatedBy } from '../../support/differential/racers.ts';
import { openCuttingProxy, type Cut } from '../../support/postgres/cutting-proxy.ts';
import { ask, migratedDatabase } from '../../support/postgres/databases.ts';
import { openInstance } from '../../support/postgres/instances.ts';
import { refusalOf } from '../../support/postgres/pool.ts';

const ROWS = { after: 0, limit: 100_000 };
const MANY = 40;
const REFUSED = 7;
const WRITERS = 32;
const ROUNDS = atLength(40, 12);
const PAUSE_S = 0.05;
/** The server ends a wait for a lock somewhat earlier. Other writes have to be done within it. */
const SHORT_MS = 15_000;

type Options = Parameters<typeof openInstance>[1];

async function open(url: string, options: Options = {}): Promise<Store> {
  const store = await openInstance(url, options);
  onTestFinished(() => store.close());
  return store;
}

describe('a unit that the database refuses, in the middle of others', () => {
  test('of new attempts', async () => {
    const store = await open(await migratedDatabase());
    const known = sampleAttempt();
    await store.insertAttempt(known);
    const attempts = Array.from({ length: MANY }, (_, place) =>
      place === REFUSED ? known : sampleAttempt(),
    );
    const answers = await Promise.all(attempts.map((one) => refusalOf(store.insertAttempt(one))));
    expect(answers).toEqual(onlyRefused('StatementError 23505'));
    for (const attempt of attempts) {
      expect(await store.findAttempt(attempt.attemptId)).toEqual({ attempt, user: null });
    }
  });

  test.each([
    ['a token that exists', '23505'],
    ['text with NUL', '22021'],
  ])('of redemptions: %s', async (kind, sqlState) => {
    const store = await open(await migratedDatabase());
    const taken = tokenNumbered(9_999_999, START);
    await store.redeemAttempt(redemption(await authenticatedBy(store), { token: taken }));
    const bad = kind === 'text with NUL' ? { ...taken, deviceName: '\0' } : taken;
    const attempts = await authenticatedMany(store);
    const answers = attempts.map((attempt, place) => {
      const token = place === REFUSED ? { token: bad } : {};
      return refusalOf(store.redeemAttempt(redemption(attempt, token)));
    });
    expect(await Promise.all(answers)).toEqual(onlyRefused(`StatementError ${sqlState}`));
    for (const [place, attempt] of attempts.entries()) {
      expect(await issuedFor(store, attempt)).toEqual(place === REFUSED ? [0, 0] : [1, 1]);
    }
    expect(await store.verifyAudit()).toMatchObject({ ok: true });
  });

  test('of look-ups', async () => {
    const store = await open(await migratedDatabase());
    const attempts = await authenticatedMany(store);
    const found = attempts.map(({ attemptId }, place) =>
      refusalOf(store.findAttempt(place === REFUSED ? ('\0' as typeof attemptId) : attemptId)),
    );
    expect(await Promise.all(found)).toEqual(onlyRefused('StatementError 22021'));
  });
});

type CutCase = readonly [text: string, cut: Cut, answer: string, stored: number];
const EVERY_CUT: readonly CutCase[] = [
  ['authenticateAttempt', 'before', 'storage.unavailable', 0],
  ['authenticateAttempt', 'after', 'storage.unavailable', 0],
  ['selectAuditHead', 'after', 'storage.unavailable', 0],
  // The rows of the audit log go together with COMMIT.
  ['insertAudit', 'before', 'storage.outcome_unknown', 0],
  ['insertAudit', 'after', 'storage.outcome_unknown', 1],
  ['COMMIT\0', 'before', 'storage.outcome_unknown', 0],
  ['COMMIT\0', 'after', 'storage.outcome_unknown', 1],
  ['COMMIT\0', 'silence', 'storage.outcome_unknown', 1],
  ['COMMIT\0', 'ended', 'storage.outcome_unknown', 1],
  ['COMMIT\0', 'undone', 'storage.outcome_unknown', 1],
];
/** At the commit, where it matters whether it is done, and once before. */
const CUTS = atLength(
  EVERY_CUT,
  EVERY_CUT.filter(([text], place) => place === 0 || text.startsWith('COMMIT')),
);

describe('a connection that is cut in the middle of a batch', () => {
  test.each(CUTS)('at %j, cut %s: all are told %s', async (text, cut, answer, stored) => {
    const url = await migratedDatabase();
    const proxy = await openCuttingProxy(url, onTestFinished);
    // Only after a silence it is waited for.
    const store = await open(proxy.url, cut === 'silence' ? { deadlineMs: SHORT_MS } : {});
    const attempts = Array.from({ length: MANY }, () => sampleAttempt());
    await Promise.all(attempts.map((attempt) => store.insertAttempt(attempt)));
    proxy.cutAt(text, cut);
    const logins = attempts.map((attempt) =>
      refusalOf(store.authenticateAttempt(authentication(attempt))),
    );
    expect(new Set(await Promise.all(logins))).toEqual(new Set([answer]));
    const direct = await open(url);
    const rows = await direct.readAudit(ROWS);
    expect(rows).toHaveLength(stored * MANY);
    for (const { attemptId } of attempts) {
      const found = await direct.findAttempt(attemptId);
      expect(found?.attempt.authenticatedAt).toBe(stored === 1 ? START + 1 : null);
    }
  });
});

/** What a writer was told about one attempt, step by step. */
interface Told {
  readonly attempt: AttemptRecord;
  readonly answers: string[];
}

test(`while a busy backend is ended every ${PAUSE_S * 1000} ms, every answer is true`, async () => {
  const url = await migratedDatabase();
  const store = await open(url, { connections: 6 });
  const end = new AbortController();
  const told: Told[] = [];
  const writers = Array.from({ length: WRITERS }, async () => {
    while (!end.signal.aborted) {
      told.push(await signIn(store));
      await turn();
    }
  });
  const killer = new Client({ connectionString: url });
  await killer.connect();
  const endBusy = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND state <> 'idle' ORDER BY random() LIMIT 1`;
  const whole = () => told.filter(({ answers: [, , last] }) => last === 'fulfilled');
  for (let round = 0; round < ROUNDS; round += 1) {
    await killer.query(endBusy);
    await killer.query(`SELECT pg_sleep(${PAUSE_S})`);
    // On a slow machine no sign-in comes through in the pause alone.
    await expect.poll(() => whole().length).toBeGreaterThan(round);
  }
  end.abort();
  await Promise.all(writers);
  await killer.end();

  const direct = await open(url);
  const answers = new Set(told.flatMap((one) => one.answers));
  expect([...answers].filter((one) => !KNOWN.has(one))).toEqual([]);
  expect(await direct.verifyAudit()).toMatchObject({ ok: true });
  const wrong = await Promise.all(told.map((one) => wrongIn(direct, one)));
  expect(wrong.filter((one) => one !== null)).toEqual([]);
  expect(answers).toContain('storage.unavailable');
});

const KNOWN = new Set(['fulfilled', 'storage.unavailable', 'storage.outcome_unknown']);

/** Goes on only after an answer that says that the step was done. */
async function signIn(store: Store): Promise<Told> {
  const attempt = sampleAttempt();
  const answers: string[] = [];
  const steps = [
    () => store.insertAttempt(attempt),
    () => store.authenticateAttempt(authentication(attempt)),
    () => store.redeemAttempt(redemption(attempt)),
  ];
  for (const step of steps) {
    const answer = await refusalOf(step());
    answers.push(answer);
    if (answer !== 'fulfilled') break;
  }
  return { attempt, answers };
}

/** A step that was acknowledged is stored with its row, one that was refused is not. */
async function wrongIn(store: Store, { attempt, answers }: Told): Promise<string | null> {
  const found = await store.findAttempt(attempt.attemptId);
  const rows = await store.readAudit({ ...ROWS, attemptId: attempt.attemptId });
  const isIssued = (await store.findTokenOfAttempt(attempt.attemptId)) !== null;
  const done = [found !== null, (found?.user ?? null) !== null, isIssued];
  const isTrue = answers.every(
    (answer, place) =>
      answer === 'storage.outcome_unknown' || done[place] === (answer === 'fulfilled'),
  );
  const expected = ['attempt.authenticated', 'token.issued'].filter((_, place) => done[place + 1]);
  const actions = rows.map(({ action }) => action);
  const isLogged = actions.join() === expected.join();
  return isTrue && isLogged ? null : JSON.stringify({ answers, done, actions });
}

describe('the end and the limits', () => {
  test('close() while batches run: what was accepted is written, also when it is called twice', async () => {
    const url = await migratedDatabase();
    const store = await openInstance(url);
    const attempts = Array.from({ length: 300 }, () => sampleAttempt());
    await Promise.all(attempts.map((attempt) => store.insertAttempt(attempt)));
    const logins = attempts.map((attempt) =>
      refusalOf(store.authenticateAttempt(authentication(attempt))),
    );
    const closed = [store.close(), store.close()];
    expect(await refusalOf(store.insertAttempt(sampleAttempt()))).toBe('storage.unavailable');
    expect(new Set(await Promise.all(logins))).toEqual(new Set(['fulfilled']));
    await Promise.all(closed);
    const direct = await open(url);
    expect(await direct.verifyAudit()).toMatchObject({ ok: true, count: attempts.length });
  });

  test('what a full queue refuses is not written', async () => {
    const store = await open(await migratedDatabase(), { maxQueue: 10 });
    const attempts = Array.from({ length: MANY }, () => sampleAttempt());
    const answers = await Promise.all(attempts.map((one) => refusalOf(store.insertAttempt(one))));
    expect(answers).toEqual(
      attempts.map((_, place) => (place < 10 ? 'fulfilled' : 'server.overloaded')),
    );
    for (const [place, { attemptId }] of attempts.entries()) {
      expect((await store.findAttempt(attemptId)) !== null).toBe(place < 10);
    }
  });

  test('a lock that somebody keeps ends in storage.unavailable, and writes go on afterwards', async () => {
    const url = await migratedDatabase();
    const store = await open(url, { deadlineMs: SHORT_MS });
    const attempt = sampleAttempt();
    await store.insertAttempt(attempt);
    const keeper = new Client({ connectionString: url });
    await keeper.connect();
    await keeper.query('BEGIN');
    await keeper.query('LOCK TABLE audit_head IN ACCESS EXCLUSIVE MODE');
    const login = authentication(attempt);
    expect(await refusalOf(store.authenticateAttempt(login))).toBe('storage.unavailable');
    await keeper.end();
    expect(await store.authenticateAttempt(login)).not.toBeNull();
    expect(await ask(url, 'SELECT action FROM audit_log')).toHaveLength(1);
  });
});

function onlyRefused(refusal: string): string[] {
  return Array.from({ length: MANY }, (_, place) => (place === REFUSED ? refusal : 'fulfilled'));
}

function authenticatedMany(store: Store): Promise<AttemptRecord[]> {
  return Promise.all(Array.from({ length: MANY }, () => authenticatedBy(store)));
}

/** How many tokens the attempt has, and how many rows say so. */
async function issuedFor(store: Store, { attemptId }: AttemptRecord): Promise<[number, number]> {
  const token = await store.findTokenOfAttempt(attemptId);
  const rows = await store.readAudit({ ...ROWS, attemptId });
  const issued = rows.filter(({ action }) => action === 'token.issued');
  return [token === null ? 0 : 1, issued.length];
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
