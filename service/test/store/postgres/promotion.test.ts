import { expect, onTestFinished, test } from 'vitest';
import { ask } from '../../support/postgres/databases.ts';
import {
  becomesReady,
  KeptIdentity,
  openPool,
  refusalOf,
  sql,
} from '../../support/postgres/pool.ts';
import { PostgresPair } from '../../support/postgres/pair.ts';
import { startPostgres } from '../../support/postgres/server.ts';

/** Of a read, with what the pool says then. A busy machine may be too slow for it, which is another one. */
async function refusal(pool: ReturnType<typeof openPool>): Promise<string> {
  const code = await refusalOf(pool.read(sql('SELECT 1')));
  return `${code} ${JSON.stringify(pool.health())}`;
}

test('a standby is refused, and after its promotion it has the next timeline', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.close());
  // The server writes into its own folder, and is a standby at its next start.
  await ask(server.url, "COPY (SELECT 1) TO PROGRAM 'touch standby.signal'");
  await server.stop();
  await server.start();
  const identity = new KeptIdentity();
  const pool = openPool(server.url, onTestFinished, { identity });
  await expect.poll(() => refusal(pool)).toMatch(/^storage\.unavailable .*server is a standby/);
  expect(identity.identity).toBeNull();

  await ask(server.url, 'SELECT pg_promote()');
  await becomesReady(pool);
  expect(identity.identity?.timeline).toBe(2);
  const write = pool.autocommit(sql('CREATE TABLE after_promotion (id int)'));
  expect(await refusalOf(write)).toBe('fulfilled');

  const before = new KeptIdentity({ ...identity.identity, systemIdentifier: null, timeline: 3 });
  const later = openPool(server.url, onTestFinished, { identity: before });
  await expect
    .poll(() => refusal(later))
    .toMatch(/^storage\.unavailable .*timeline 2, but timeline 3 was seen/);
});

test('of two primaries the one that was promoted later is used, in whatever order they are named', async () => {
  const pair = await PostgresPair.start(false);
  onTestFinished(() => pair.close());
  // The former primary is not told, and accepts writes as before.
  await pair.promote();
  const { primary, standby: former } = pair;
  const hosts = [primary, former].map(({ url }) => new URL(url).host);
  for (const order of [hosts, hosts.toReversed()]) {
    const url = primary.url.replace(new URL(primary.url).host, order.join(','));
    const pool = openPool(url, onTestFinished, { size: 1 });
    await becomesReady(pool);
    const { rows } = await pool.read(sql("SELECT current_setting('port') AS port"));
    expect(rows).toEqual([{ port: new URL(primary.url).port }]);
  }
});
