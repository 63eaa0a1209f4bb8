import { expect, onTestFinished, test } from 'vitest';
import { systemTimer } from '../../src/platform/runtime.ts';
import { parseDatabaseUrl } from '../../src/store/postgres/connection-url.ts';
import { inspectDatabase } from '../../src/store/postgres/inspect-database.ts';
import { share } from '../support/at-end.ts';
import { InstancesUnderLoad, SHORT_LOAD } from '../support/faults/instances-under-load.ts';
import { meetFormerPrimary, runFailovers } from '../support/faults/postgres-failovers.ts';
import { loseStandby } from '../support/faults/postgres-outages.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';
import { ask } from '../support/postgres/databases.ts';
import { PostgresPair } from '../support/postgres/pair.ts';

const FAILOVERS = 2;

const opened = share(async (atEnd) => {
  const pair = await PostgresPair.start(false);
  atEnd(() => pair.close());
  const seed = chooseSeed();
  const load = await InstancesUnderLoad.start([pair.url, pair.url], seed, SHORT_LOAD);
  atEnd(() => load.close());
  return { pair, load, seed };
});

test('a standby for which no commit waits is reported, at the start and by miftah doctor', async () => {
  const { pair, load } = opened();
  const reported = 'no standby is synchronous: a failover can lose acknowledged writes';
  for (const instance of load.instances) expect(instance.stdout()).toContain(reported);

  // A role without rights sees less of the standbys than an administrator, and enough.
  await ask(pair.primary.url, "CREATE ROLE plain LOGIN PASSWORD 'plain'");
  const url = new URL(pair.primary.url);
  url.username = 'plain';
  url.password = 'plain';
  const address = parseDatabaseUrl(url.href);
  const inspection = await inspectDatabase({ address, timer: systemTimer, auditKeys: [] });
  onTestFinished(() => inspection.close());
  const warnings = inspection.warnings.map(({ what }) => what);
  expect(warnings).toContain(reported);
});

test('nothing acknowledged is lost when a primary is killed whose synchronous standby received nothing', async () => {
  const { pair, load, seed } = opened();
  const { violations, ...figures } = await runFailovers(pair, load, FAILOVERS);
  console.log(`failovers, TEST_SEED=${seed}: ${JSON.stringify(figures)}`);

  expect(violations).toEqual([]);
  expect(figures.failovers).toBe(FAILOVERS);
  expect(figures.tokens).toBeGreaterThan(0);
  expect(figures.unavailable).toBeGreaterThan(0);
});

test('a former primary that comes back is not used, also while the present one is away', async () => {
  const { pair, load } = opened();
  await meetFormerPrimary(pair, load);
  expect(load.history.violations).toEqual([]);
});

test('while its only synchronous standby is away nothing is acknowledged, and nobody waits for ever', async () => {
  const { pair, load } = opened();
  await pair.complete();
  load.startAnew();
  const recoveryMs = await loseStandby(load, pair);
  const { violations, unavailable, slowestMs } = load.history;
  console.log(`without the standby: ${JSON.stringify({ recoveryMs, unavailable, slowestMs })}`);

  expect(violations).toEqual([]);
  expect(unavailable).toBeGreaterThan(0);
});

test('with an asynchronous standby the same failover loses something, and the check finds it', async () => {
  const { pair, load, seed } = opened();
  const { violations, ...figures } = await runFailovers(pair, load, FAILOVERS, {
    isSynchronous: false,
  });
  console.log(`asynchronous failover, TEST_SEED=${seed}: ${JSON.stringify(figures)}`);

  expect(violations.filter((what) => /^I[2347]: /.test(what))).not.toEqual([]);
});
