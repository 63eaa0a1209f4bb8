import { Client } from 'pg';
import { expect, test } from 'vitest';
import { sets, statements } from '../../../src/store/postgres/statements.generated.ts';
import { atLength } from '../../../../scripts/test-length.ts';
import { share } from '../../support/at-end.ts';
import { copyOf, emptyDatabase } from '../../support/postgres/databases.ts';
import { openInstance } from '../../support/postgres/instances.ts';

const opened = share(async (atEnd) => {
  const url = await emptyDatabase(atEnd);
  const store = await openInstance(url);
  await store.close();
  return { url };
});

/** As the service's connections plan: see server-check.ts. */
const PLANS = `SELECT set_config(name, 'off', false)
  FROM unnest(ARRAY['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']) AS name`;

interface Planned {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly sql: string;
}

const SETS = Object.values(sets).map((set): Planned => ({ ...set, name: `${set.name}:all` }));
const ALL: readonly Planned[] = [...Object.values(statements), ...SETS];

async function readsAllAttempts(client: Client, { name, parameters, sql }: Planned) {
  await client.query(`PREPARE planned AS ${sql}`);
  const scans = await scansOf(client, 'planned', parameters);
  await client.query('DEALLOCATE planned');
  return scans.map((scan) => `${name}: ${scan}`);
}

/** Scans of attempts without a condition on their index, which read every row. */
async function scansOf(client: Client, prepared: string, parameters: readonly string[]) {
  const values = parameters.map(() => 'NULL').join(', ');
  const explain = `EXPLAIN EXECUTE ${prepared}${values === '' ? '' : `(${values})`}`;
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(explain);
  const lines = rows.map((row) => row['QUERY PLAN']);
  const scans = lines.filter((line, index) => {
    const isScan = /Scan.* (?:on|using) attempts/.test(line) && !line.includes('Bitmap Heap Scan');
    return isScan && !/Index Cond/.test(lines[index + 1] ?? '');
  });
  return scans.map((scan) =>
    scan
      .trim()
      .replace(/ +\(cost.*/, '')
      .replace('->  ', ''),
  );
}

const KNOWN = [
  // `miftah audit --verify`, and a key that is lost: everything is looked at.
  'selectContradiction: Index Scan using attempts_pkey on attempts',
  'selectContradiction: Index Scan using attempts_pkey on attempts attempts_1',
  'selectContradiction: Index Scan using attempts_pkey on attempts attempts_2',
  'selectContradiction: Index Scan using attempts_pkey on attempts attempts_3',
  'deleteAttempts: Seq Scan on attempts',
  // Once a minute where a limit by number is set: counts from one end of the index.
  'selectNthAttempt: Index Scan Backward using attempts_by_expiry on attempts',
  // `miftah user export` and `user erase`: there is no index of attempts by user.
  'selectAttemptsOfUser: Seq Scan on attempts',
  'deleteAttemptsOfUser: Seq Scan on attempts',
];

async function connected<Result>(url: string, use: (client: Client) => Promise<Result>) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function planAsTheService(client: Client): Promise<void> {
  await client.query(PLANS);
  await client.query("SET plan_cache_mode = 'force_generic_plan'");
}

const plannedOn = (url: string, prepare: (client: Client) => Promise<void>) =>
  connected(url, async (client) => {
    await planAsTheService(client);
    await prepare(client);
    const found: string[] = [];
    for (const planned of ALL) found.push(...(await readsAllAttempts(client, planned)));
    return found;
  });

test('plans that are made while the tables are empty find attempts by a key', async () => {
  expect(await plannedOn(opened().url, async () => undefined)).toEqual(KNOWN);
});

/** Half of the attempts have ended in a token, one for each user; half are open and ask for somebody. */
const FILL = [
  `INSERT INTO users (identity_digest, issuer, document_type, document_number, national_id,
    arabic_name, english_name, nationality, gender, assurance_level, preferred_locale,
    last_auth_method, created_at, updated_at)
  SELECT 'digest ' || n, 'simulator', 'nin', n, n, '', '', '', 'X', 0, 'ar', 'mfa', n, n
  FROM generate_series(1, $1::bigint) AS n
  ON CONFLICT DO NOTHING`,
  `INSERT INTO attempts (attempt_id, flow, client, token_digest, locale, national_id, created_at,
    expires_at, authenticated_at, redeemed_at, user_id, completion_misses)
  SELECT 'attempt ' || number, 'redirect', 'client', 'digest ' || number, 'ar',
    CASE WHEN is_open THEN number END, number, number + 1000,
    CASE WHEN NOT is_open THEN number END, CASE WHEN NOT is_open THEN number END, id, 0
  FROM (SELECT n AS number, n > $1 AS is_open FROM generate_series(1, 2 * $1::bigint) AS n) AS all_of
    LEFT JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM users) AS people
    ON place = number AND NOT is_open
  ON CONFLICT DO NOTHING`,
  `INSERT INTO provider_transactions (attempt_id, kind, state_digest, nonce)
  SELECT attempt_id, 'redirect', 'state ' || attempt_id, 'nonce' FROM attempts LIMIT 2 * $1::bigint
  ON CONFLICT DO NOTHING`,
  `INSERT INTO api_tokens (token_id, token_digest, attempt_id, user_id, client, created_at, expires_at)
  SELECT 'token ' || attempt_id, 'digest ' || attempt_id, attempt_id, user_id, client, 1, 2
  FROM attempts WHERE user_id IS NOT NULL LIMIT $1::bigint
  ON CONFLICT DO NOTHING`,
];

/** Reads only attempts whose token was fetched in the last minute, and only after a wrong repeat. */
const OF_A_MINUTE = 'missReplay: Index Scan using attempts_with_seal on attempts';

/**
 * On a table of a few rows a whole scan costs as little as a few searches, and no setting of the
 * planner changes that. Such a plan ends when the table is analysed again, which the server does
 * by itself a minute after some fifty changes (docs/several-instances.md).
 */
const ON_A_FEW_ROWS = [
  'deleteExpiredAttempts: Index Scan using attempts_pkey on attempts',
  'eraseSeals: Index Scan using attempts_pkey on attempts',
  'eraseIdentifiers: Index Scan using attempts_pkey on attempts',
  'selectTransactionByState: Index Scan using attempts_pkey on attempts',
  'admitPush: Index Scan using attempts_pkey on attempts',
  'authenticateAttempt:all: Index Scan using attempts_pkey on attempts',
  'markRedeemed:all: Index Scan using attempts_pkey on attempts',
  'upsertUser:all: Index Scan using attempts_pkey on attempts',
  'insertRedeemedToken:all: Index Scan using attempts_pkey on attempts',
];

async function plannedWith(users: number): Promise<readonly string[]> {
  return plannedOn(await copyOf(opened().url), async (client) => {
    for (const sql of FILL) await client.query(sql, [users]);
    await client.query('ANALYZE');
  });
}

/** A table of several hundred pages at length, and of a hundred in `npm test`. */
const MANY = atLength(5000, 1000);

test.each([50, MANY])(
  'plans that are made with %d users, and twice as many attempts, find attempts by a key',
  async (users) => {
    const found = await plannedWith(users);
    expect(found.filter((scan) => scan !== OF_A_MINUTE)).toEqual(KNOWN);
  },
);

test('plans that are made with two attempts read all of them in no other statement than was known', async () => {
  const known = new Set([...KNOWN, OF_A_MINUTE, ...ON_A_FEW_ROWS]);
  expect((await plannedWith(1)).filter((scan) => !known.has(scan))).toEqual([]);
});

test('a plan that was made with two attempts is replaced when the table was analysed again', async () => {
  const statement = SETS.find(({ name }) => name === 'authenticateAttempt:all');
  const scans: (readonly string[])[] = [];
  await plannedOn(await copyOf(opened().url), async (client) => {
    await client.query(`PREPARE kept AS ${statement?.sql}`);
    for (const users of [1, MANY]) {
      for (const sql of FILL) await client.query(sql, [users]);
      await client.query('ANALYZE');
      scans.push(await scansOf(client, 'kept', statement?.parameters ?? []));
    }
    await client.query('DEALLOCATE kept');
  });
  expect(scans).toEqual([['Index Scan using attempts_pkey on attempts'], []]);
});

/** Very many wait for one receiver, and none or few for another. */
const WAITING = `INSERT INTO webhook_deliveries
  (delivery_id, client, receiver, event, attempt_id, at, since, tries, next_at)
  SELECT 'delivery ' || n, 'client', CASE n % 1000 WHEN 0 THEN 'few' ELSE 'many' END,
    'attempt.rejected', 'attempt ' || n, n, n, 1, n FROM generate_series(1, 50000) AS n`;

const waiting = share(async (atEnd) => {
  const url = await copyOf(opened().url, atEnd);
  await connected(url, async (client) => {
    await client.query(WAITING);
    await client.query('ANALYZE');
  });
  return { url };
});

test.each(['selectDue', 'leaseDeliveries', 'giveUpReceiver', 'selectBeyond'] as const)(
  'what is due to a receiver is found by its own index, however much waits for others: %s',
  async (name) => {
    const { sql, parameters } = statements[name];
    const values = parameters.map(() => 'NULL').join(', ');
    const lines = await connected(waiting().url, async (client) => {
      await planAsTheService(client);
      await client.query(`PREPARE found AS ${sql}`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN EXECUTE found(${values})`,
      );
      return rows.map((row) => row['QUERY PLAN']);
    });
    expect(lines.filter((line) => line.includes('webhook_deliveries_waiting'))).toEqual([]);
    expect(lines.join('\n')).toMatch(/webhook_deliveries_due .*\n.*Index Cond: \(.*receiver = /);
  },
);
