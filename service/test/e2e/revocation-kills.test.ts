import { expect, onTestFinished, test } from 'vitest';
import {
  activeSince,
  spawnRevokeAll,
  withManyTokens,
  type ManyTokens,
} from '../support/faults/many-tokens.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { until } from '../support/programs/until.ts';

/** Twenty transactions of the command. */
const TOKENS = 40_000;
/** One of them does not end, so that the kill finds the command in the middle on every machine. */
const SOME = 4;
/** What the audit log says of the tokens that such commands have ended. */
const COUNTED = `SELECT coalesce(sum(count), 0) AS count FROM audit_log
  WHERE action = 'tokens.revoked_all'`;
const REVOKED = 'SELECT count(*) AS count FROM api_tokens WHERE revoked_at IS NOT NULL';

const IS_DUE = `(SELECT count(*) FROM audit_log WHERE action = 'tokens.revoked_all') > ${SOME}`;

/** Statements, in their order: for a transaction that does not end, and to have none any more. */
interface Hold {
  readonly begin: readonly string[];
  readonly end: readonly string[];
}

const IN_FILE: Hold = {
  begin: [
    `CREATE VIEW endless AS WITH RECURSIVE number(n) AS
      (SELECT 1 UNION ALL SELECT n + 1 FROM number) SELECT n FROM number`,
    `CREATE TRIGGER held AFTER INSERT ON audit_log WHEN ${IS_DUE}
      BEGIN SELECT max(n) FROM endless; END`,
  ],
  end: ['DROP TRIGGER held', 'DROP VIEW endless'],
};
const ON_POSTGRES: Hold = {
  begin: [
    `CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF ${IS_DUE} THEN PERFORM pg_sleep(600); END IF; RETURN NULL; END $$`,
    'CREATE TRIGGER held AFTER INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION held()',
  ],
  end: [
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event = 'PgSleep'`,
    'DROP TRIGGER held ON audit_log',
    'DROP FUNCTION held',
  ],
};

const STORES = [
  ['with a file', () => Promise.resolve(null), IN_FILE],
  ['on PostgreSQL', () => emptyDatabase(), ON_POSTGRES],
] as const;

test.each(STORES)(
  'a killed `revoke --all` is run again, twice at once, %s',
  async (_, open, hold) => {
    const store = await withManyTokens(await open(), TOKENS);
    onTestFinished(async () => void (await store.service.kill()));
    const before = Date.now();
    const all = await store.book(activeSince(before));

    for (const statement of hold.begin) await store.book(statement);
    await killInTheMiddle(store, before, all);
    for (const statement of hold.end) await store.book(statement);
    const left = await store.book(activeSince(before));
    expect(left).toBeGreaterThan(0);
    expect(await store.book(COUNTED)).toBe(all - left);

    const both = [spawnRevokeAll(store.settings), spawnRevokeAll(store.settings)];
    const exits = await Promise.all(both.map(({ ended }) => ended));
    expect(exits).toEqual([0, 0].map((code) => ({ code, err: '' })));
    expect(await store.book(activeSince(before))).toBe(0);
    expect(await store.book(COUNTED)).toBe(await store.book(REVOKED));
  },
);

async function killInTheMiddle({ book, settings }: ManyTokens, before: number, all: number) {
  const { child, ended } = spawnRevokeAll(settings);
  await until(async () => (await book(activeSince(before))) < all);
  child.kill('SIGKILL');
  expect(await ended).toMatchObject({ code: null });
}
