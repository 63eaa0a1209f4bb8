import { Client } from 'pg';
import { expect, test } from 'vitest';
import { sets, statements } from '../../../src/store/postgres/statements.generated.ts';
import { share } from '../../support/at-end.ts';
import { emptyDatabase } from '../../support/postgres/databases.ts';
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

/** A scan of attempts without a condition on its index reads every row. */
async function readsAllAttempts(client: Client, { name, parameters, sql }: Planned) {
  await client.query(`PREPARE planned AS ${sql}`);
  const values = parameters.map(() => 'NULL').join(', ');
  const explain = `EXPLAIN EXECUTE planned${values === '' ? '' : `(${values})`}`;
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(explain);
  await client.query('DEALLOCATE planned');
  const lines = rows.map((row) => row['QUERY PLAN']);
  const scans = lines.flatMap((line, index) => {
    const isScan = /Scan.* (?:on|using) attempts/.test(line) && !line.includes('Bitmap Heap Scan');
    return isScan && !/Index Cond/.test(lines[index + 1] ?? '') ? [`${name}: ${line.trim()}`] : [];
  });
  return scans.map((scan) => scan.replace(/ +\(cost.*/, '').replace('->  ', ''));
}

test('plans that are made while the tables are empty find attempts by a key', async () => {
  const client = new Client({ connectionString: opened().url });
  await client.connect();
  await client.query(PLANS);
  await client.query("SET plan_cache_mode = 'force_generic_plan'");
  const found: string[] = [];
  for (const planned of ALL) found.push(...(await readsAllAttempts(client, planned)));
  await client.end();
  expect(found).toEqual([
    // `miftah audit --verify`, and a key that is lost: everything is looked at.
    'selectUnlogged: Index Scan using attempts_pkey on attempts',
    'selectUnlogged: Index Scan using attempts_pkey on attempts attempts_1',
    'selectUnlogged: Index Scan using attempts_pkey on attempts attempts_2',
    'selectUnlogged: Index Scan using attempts_pkey on attempts attempts_3',
    'deleteAttempts: Seq Scan on attempts',
    // Once a minute where a limit by number is set: counts from one end of the index.
    'selectNthAttempt: Index Scan Backward using attempts_by_expiry on attempts',
    // `miftah user export` and `user erase`: there is no index of attempts by user.
    'selectAttemptsOfUser: Seq Scan on attempts',
    'deleteAttemptsOfUser: Seq Scan on attempts',
  ]);
});
