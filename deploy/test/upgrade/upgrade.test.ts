import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import { programFile } from '../../../scripts/program-files.ts';
import { runRollOuts } from '../../../service/test/support/faults/roll-outs.ts';
import { chooseSeed } from '../../../service/test/support/faults/seeded-random.ts';
import { ask, emptyDatabase } from '../../../service/test/support/postgres/databases.ts';
import { findDumpTools } from '../../../service/test/support/postgres/dump.ts';
import { LATER_ADDITIONS } from '../../../service/test/support/postgres/later-additions.ts';
import { leftBy, versions } from '../support/upgrade/releases.ts';
import { Machine } from '../support/upgrade/upgraded.ts';

/** What docs/upgrading.md promises, on the stores that earlier releases have left. */

/** A fifth of what service/test/e2e/roll-outs.test.ts sends at length: each of its answers is checked. */
const PER_SECOND = 40;
/** The clock of the fixtures needs `faketime`. */
const isHere = hasTools('upgrade');

describe.each(versions())('what %s has left', (version) => {
  test('on a file: tokens are good, attempts go on, and the audit log is whole', async () => {
    if (!isHere) return;
    const machine = await Machine.withFile(leftBy(version, 'sqlite'));
    const service = await machine.start();
    await machine.expectKept(service);
    await machine.expectGoingOn(service);
    expect((await service.stop()).code).toBe(0);
    await machine.expectKept(await machine.start());
  });

  test('on PostgreSQL: tokens are good, and the audit log is whole', async () => {
    const tools = findDumpTools();
    if (tools === null) throw new Error('pg_restore is missing: install postgresql-client');
    const left = leftBy(version, 'postgres');
    const url = await emptyDatabase();
    await tools.restore(url, join(left.folder, 'miftah.dump'));
    const machine = await Machine.withDatabase(left, url);
    const service = await machine.start();
    await machine.expectKept(service);
    expect((await service.stop()).code).toBe(0);
  });
});

test('two instances are replaced by a later version and back, and no request fails', async () => {
  const url = await emptyDatabase();
  const seed = chooseSeed();
  const { violations, ...figures } = await runRollOuts(
    url,
    2,
    seed,
    [programFile('service-later'), undefined],
    PER_SECOND,
  );
  console.log(`upgrade and back, TEST_SEED=${seed}: ${JSON.stringify(figures)}`);
  expect(violations).toEqual([]);
  expect(figures.retried).toBeGreaterThan(0);
  expect(figures.tokens).toBeGreaterThan(0);
  const sql = "SELECT name FROM schema_migrations WHERE name LIKE '%later' ORDER BY name";
  const applied = await ask<{ name: string }>(url, sql);
  expect(applied.map(({ name }) => name)).toEqual(LATER_ADDITIONS.map(({ name }) => name));
});
