import { beforeEach, describe, expect, test } from 'vitest';
import { share } from '../support/at-end.ts';
import { InstancesUnderLoad, SHORT_LOAD } from '../support/faults/instances-under-load.ts';
import { endBackends, takeAway } from '../support/faults/postgres-outages.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';
import { startPostgres } from '../support/postgres/server.ts';

const AWAY_MS = 2000;

const opened = share(async (atEnd) => {
  const server = await startPostgres({ settings: { synchronous_commit: 'on' } });
  atEnd(() => server.close());
  const load = await InstancesUnderLoad.start([server.url, server.url], chooseSeed(), SHORT_LOAD);
  atEnd(() => load.close());
  return { server, load };
});

function expectNothingLost(what: string, figures: object) {
  const { history } = opened().load;
  const { violations, answers, unavailable, slowestMs } = history;
  console.log(`${what}: ${JSON.stringify({ ...figures, answers, unavailable, slowestMs })}`);
  expect(violations).toEqual([]);
  expect(history.attempts.some(({ tokens }) => tokens.size > 0)).toBe(true);
}

describe('two instances under load lose nothing, and go on by themselves,', () => {
  beforeEach(() => opened().load.startAnew());

  test('when all their connections are ended every 200 ms', async () => {
    const { load, server } = opened();
    const figures = await endBackends(load, server.url, AWAY_MS);
    expectNothingLost('ended backends', figures);
    expect(figures.ended).toBeGreaterThan(figures.rounds);
  });

  test.each(['stopped', 'frozen'] as const)(
    'when the database is %s for two seconds',
    async (way) => {
      const { load, server } = opened();
      expectNothingLost(way, await takeAway(load, server, way, AWAY_MS));
    },
  );
});
