import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasTools } from '../../../scripts/debian.mjs';
import type { AtEnd } from '../../../service/test/support/at-end.ts';
import { logIn } from '../../../service/test/support/live/live-login.ts';
import { until } from '../../../service/test/support/programs/until.ts';
import { FAULTS, KILLS, type Fault } from '../support/prometheus/faults.ts';
import { Prometheus, PROMETHEUS_PAUSE_MS } from '../support/prometheus/prometheus.ts';
import { openWatched, signIn, type Watched } from '../support/prometheus/watched.ts';

/** Debian's Prometheus reads real services, which meet real faults. */

/**
 * They tell the truth about a machine that is busy with other tests: then answers and commits are
 * slow without any fault of the service.
 */
const ALARMS_OF_SPEED = new Set(['MiftahSlowAnswers', 'MiftahSlowStore', 'MiftahEventLoopLag']);
const ROOT = join(import.meta.dirname, '../../..');
const isHere = hasTools('prometheus');
const endings: (() => void | Promise<void>)[] = [];
const atEnd: AtEnd = (work) => void endings.push(work);

let watched: Watched;
let prometheus: Prometheus;

beforeAll(async () => {
  if (!isHere) return;
  watched = await openWatched(atEnd);
  prometheus = await Prometheus.start(watched.targets, atEnd);
});

afterAll(async () => {
  for (const end of endings.toReversed()) await end();
});

describe('an alarm', () => {
  test('is not raised by usual sign-ins', async () => {
    if (!isHere) return;
    await prometheus.untilRead(watched.targets.length);
    for (let times = 0; times < 3; times += 1) {
      await Promise.all([logIn(watched.bank), signIn(watched.shared), signIn(watched.alone)]);
      await prometheus.untilRead(watched.targets.length);
    }
    const seen = 'sum(miftah_sign_ins_total{step="redeemed"}) >= 9';
    await until(async () => (await prometheus.ask(seen)).length > 0, PROMETHEUS_PAUSE_MS);
    const raised = [...(await prometheus.raised())];
    expect(raised.filter((name) => !ALARMS_OF_SPEED.has(name))).toEqual([]);
  });

  test.each(FAULTS)('$name raises $raises', raise);
});

describe('deploy/grafana/miftah.json', () => {
  test.each(queriesOf(readFileSync(join(ROOT, 'deploy/grafana/miftah.json'), 'utf8')))(
    '%s: %s has data',
    async (_, query) => {
      if (!isHere) return;
      await until(async () => (await prometheus.ask(query)).length > 0, PROMETHEUS_PAUSE_MS);
    },
  );
});

describe('an alarm', () => {
  test.each(KILLS)('$name raises $raises', raise);

  test('of the kit was raised by one of these faults', () => {
    const rules = readFileSync(join(ROOT, 'deploy/prometheus/alerts.yml'), 'utf8');
    const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    expect([...FAULTS, ...KILLS].flatMap(({ raises }) => raises).toSorted()).toEqual(
      names.toSorted(),
    );
  });
});

async function raise({ raises, cause, end }: Fault): Promise<void> {
  if (!isHere) return;
  await expectNone(raises);
  await until(async () => {
    await cause(watched, prometheus);
    const now = await prometheus.raised();
    return raises.every((name) => now.has(name));
  }, PROMETHEUS_PAUSE_MS);
  await end?.(watched);
}

/** Those of speed end by themselves when the machine has been quick again for a while. */
async function expectNone(names: readonly string[]): Promise<void> {
  const raised = async () => {
    const all = await prometheus.raised();
    return names.filter((name) => all.has(name));
  };
  await until(
    async () => !(await raised()).some((name) => ALARMS_OF_SPEED.has(name)),
    PROMETHEUS_PAUSE_MS,
  );
  expect(await raised()).toEqual([]);
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

/** The queries with the values that Grafana would put into them, each with its panel. */
function queriesOf(json: string): readonly (readonly [panel: string, query: string])[] {
  const { panels } = JSON.parse(json) as Dashboard;
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(
      ({ expr }) =>
        [title, expr.replaceAll('$job', 'miftah').replaceAll('$__rate_interval', '20s')] as const,
    ),
  );
}
