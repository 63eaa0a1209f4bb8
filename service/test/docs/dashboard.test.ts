import { describe, expect, it } from 'vitest';
import { shareService } from '../support/service/test-service.ts';
import { seriesOf, typesIn } from '../support/metrics/series.ts';
import { login } from '../support/service/login.ts';
import { codeRows, codesOf, readDocument, sectionOf } from './documents.ts';

interface Target {
  readonly expr: string;
}
interface Panel {
  readonly title: string;
  readonly targets?: readonly Target[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
}

const service = shareService();
const dashboard = JSON.parse(readDocument('deploy/grafana/miftah.json')) as Dashboard;
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** What every name of one of our numbers begins with. */
const NAME = /\b(?:miftah|push|browser|nodejs|process)_[a-z_0-9]+/g;
/** Added by the collector. */
const OF_COLLECTOR = ['job', 'instance'];

async function served(): Promise<string> {
  await login(service());
  return (await service().request({ method: 'GET', url: '/metrics' })).payload;
}

/** Each name that a query may use: a histogram has three. */
function namesIn(text: string): ReadonlySet<string> {
  const names = [...typesIn(text)].flatMap(([name, type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
  );
  return new Set(names);
}

describe('deploy/grafana/miftah.json', () => {
  it('asks only for numbers that the service has', async () => {
    const names = namesIn(await served());
    const asked = queries.flatMap((query) => query.match(NAME) ?? []);
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((name) => !names.has(name))).toEqual([]);
    expect(queries.filter((query) => query.search(NAME) < 0)).toEqual([]);
  });

  it('groups and chooses only by labels that they have', async () => {
    const text = await served();
    const shown = seriesOf(text).flatMap(({ labels }) => Object.keys(labels));
    // Those of the calls to a provider, which the service of this test does not make.
    const labels = new Set([...shown, ...OF_COLLECTOR, 'operation', 'outcome', 'reason']);
    const groups = queries.flatMap((query) => [...query.matchAll(/by \(([^)]*)\)/g)]);
    const chosen = queries.flatMap((query) => [...query.matchAll(/\b(\w+)(?:!?=~?)"/g)]);
    const used = [...groups, ...chosen].flatMap(([, names = '']) => names.split(', '));
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((name) => !labels.has(name))).toEqual([]);
  });

  it('shows each number of the service', async () => {
    const own = [...typesIn(await served()).keys()].filter((name) => !/^(?:node|proc)/.test(name));
    expect(own.filter((name) => !queries.some((query) => query.includes(name)))).toEqual([]);
  });
});

describe('docs/operations.md', () => {
  it('explains each number of the service, and no other', async () => {
    const own = [...typesIn(await served()).keys()].filter((name) => !/^(?:node|proc)/.test(name));
    const rows = codeRows(sectionOf(readDocument('docs/operations.md'), 'Numbers'));
    const explained = rows.flatMap(([name = '']) => codesOf(name));
    expect(explained.toSorted()).toEqual(own.toSorted());
  });
});
