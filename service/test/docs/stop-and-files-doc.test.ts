import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { DAY_MS, SECOND_MS } from '../../src/values/time.ts';
import { readWaiters } from '../../src/config/source/waiters.ts';
import { parseDrain, parseDuration } from '../../src/config/values.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { limitConnections } from '../../src/server/limit-connections.ts';
import { stopLimits } from '../../src/server/stop.ts';
import { readDocument } from './documents.ts';

/** What operators are told of a stop and of open files, computed from the service's own limits. */

const secondsOf = (drain: string) => stopLimits(parseDrain(drain)).processMs / SECOND_MS;
const BY_DEFAULT = secondsOf(SETTINGS.DRAIN_TIME.default);
/** What a stop needs besides a long DRAIN_TIME. */
const BESIDES = stopLimits(DAY_MS).processMs / SECOND_MS - DAY_MS / SECOND_MS;

/** @throws Error when the text does not have it */
function found(path: string, pattern: RegExp): string {
  const [, value] = pattern.exec(readDocument(path)) ?? [];
  if (value === undefined) throw new Error(`${path} has no ${String(pattern)}`);
  return value;
}

const STOP = `within ${BY_DEFAULT} seconds, or \`DRAIN_TIME\` and ${BESIDES} seconds if that is longer`;

it.each(['docs/operations.md', 'docs/systemd.md', 'docs/containers.md'])(
  '%s says how long a stop may take, in the same words',
  (path) => {
    expect(readDocument(path)).toContain(STOP);
  },
);

it('the table of docs/reliability.md has the time of a stop', () => {
  const told = found('docs/reliability.md', /^\| The process ends, .* \| ([\d.]+) s +\|$/m);
  expect(Number(told)).toBe(BY_DEFAULT);
});

it('whoever waits for a stop waits longer than the service may need', () => {
  const unit = found('deploy/systemd/miftah.service', /^TimeoutStopSec=(\d+)s$/m);
  expect(Number(unit)).toBeGreaterThan(secondsOf('5m'));
  const compose = found('deploy/image/compose.yaml', /the ([\d.]+) seconds that a stop may take/);
  expect(Number(compose)).toBe(BY_DEFAULT);
  const grace = found('deploy/image/compose.yaml', /^ {2}stop_grace_period: (\w+)$/m);
  expect(parseDuration(grace) / SECOND_MS).toBeGreaterThan(BY_DEFAULT);
  const settings = 'deploy/kubernetes/manifests/1-settings.yaml';
  const inCluster = secondsOf(found(settings, /^ {2}DRAIN_TIME: (\w+)$/m));
  const service = 'deploy/kubernetes/manifests/3-service.yaml';
  const given = Number(found(service, /terminationGracePeriodSeconds: (\d+)/));
  expect(given).toBeGreaterThan(inCluster);
  expect(readDocument('docs/containers.md')).toContain(`Longer than ${inCluster} seconds:`);
  const inService = readDocument(service).replaceAll(/\s+# /g, ' ');
  expect(inService).toContain(
    '5 seconds for requests that have begun and 2.5 for closing the store',
  );
  expect(BESIDES).toBe(5 + 2.5);
});

/** For the connections to the database and the provider, and for files. */
const OTHERS = 1000;

it('the service may open one number of files everywhere, which is enough for its limits', () => {
  const server = createServer();
  limitConnections(server);
  const { most: waiters } = readWaiters((_, otherwise) => otherwise);
  const places = {
    'deploy/systemd/miftah.service': /^LimitNOFILE=(\d+)$/m,
    'deploy/image/compose.yaml': /^ {4}nofile: (\d+)$/m,
    'docs/containers.md': /--ulimit nofile=(\d+):\1 /,
  };
  const limits = Object.entries(places).map(([path, pattern]) => Number(found(path, pattern)));
  expect(new Set(limits).size).toBe(1);
  expect(limits[0]).toBeGreaterThanOrEqual(server.maxConnections + waiters + OTHERS);
  const words = `${server.maxConnections.toLocaleString('en')} connections`;
  for (const path of Object.keys(places)) {
    expect(readDocument(path)).toContain(words);
    expect(readDocument(path)).toContain(waiters.toLocaleString('en'));
  }
});
