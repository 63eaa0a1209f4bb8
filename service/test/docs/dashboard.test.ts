import { describe, expect, it } from 'vitest';
import { shareService } from '../support/service/test-service.ts';
import { seriesOf, typesIn } from '../support/metrics/series.ts';
import { login } from '../support/service/login.ts';
import { codesOf, readDocument, sectionOf } from './documents.ts';

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
const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const rules = readDocument('deploy/prometheus/alerts.yml');
/** The expressions of the rules: on the line of `expr`, or on those below that begin further right. */
const alarms = [...rules.matchAll(/^ {8}expr: (?:>-\n((?: {10}.*\n)+)|(.+)\n)/gm)].map(
  ([, lines, line]) => lines ?? line ?? '',
);
const queries = [...shown, ...alarms];
/** Only these have no number of the service in them. */
const OF_PROMETHEUS = /\b(?:up|ALERTS)\{|^\s*miftah:/;

/** What every name of one of our numbers begins with. */
const NAME = /\b(?:miftah|push|browser|nodejs|process)_[a-z_0-9]+/g;
/** Added by the collector. */
const OF_COLLECTOR = ['job', 'instance', 'alertname', 'alertstate', 'severity'];

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

describe('deploy/grafana/miftah.json and deploy/prometheus/alerts.yml', () => {
  it('asks only for numbers that the service has', async () => {
    const names = namesIn(await served());
    const asked = queries.flatMap((query) => query.match(NAME) ?? []);
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((name) => !names.has(name))).toEqual([]);
    const others = queries.filter((query) => !OF_PROMETHEUS.test(query));
    expect(others.filter((query) => query.search(NAME) < 0)).toEqual([]);
  });

  it('groups and chooses only by labels that they have', async () => {
    const text = await served();
    const seen = seriesOf(text).flatMap(({ labels }) => Object.keys(labels));
    // Those of the calls to a provider, which the service of this test does not make, and of the
    // tasks of an operator, which are read from the log each minute.
    const labels = new Set([...seen, ...OF_COLLECTOR, 'operation', 'outcome', 'reason', 'task']);
    const groups = queries.flatMap((query) => [...query.matchAll(/by \(([^)]*)\)/g)]);
    const chosen = queries.flatMap((query) => [...query.matchAll(/\b(\w+)(?:!?=~?)"/g)]);
    const used = [...groups, ...chosen].flatMap(([, names = '']) => names.split(', '));
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((name) => !labels.has(name))).toEqual([]);
  });

  it('shows each number of the service', async () => {
    const own = [...typesIn(await served()).keys()].filter((name) => !/^(?:node|proc)/.test(name));
    expect(own.filter((name) => !shown.some((query) => query.includes(name)))).toEqual([]);
  });

  it('the rules use the records that they make', () => {
    const made = [...rules.matchAll(/- record: (\S+)/g)].map(([, name]) => name);
    const used = alarms.flatMap((query) => query.match(/\bmiftah:[\w:]+/g) ?? []);
    expect(new Set(used)).toEqual(new Set(made));
  });
});

describe('docs/operations.md', () => {
  it('explains each number of the service with its type, and no other', async () => {
    const own = [...typesIn(await served())].filter(([name]) => !/^(?:node|proc)/.test(name));
    const section = sectionOf(readDocument('docs/operations.md'), 'Numbers');
    const entries = section.matchAll(/((?:`\w+`(?:, )?)+) \((counter|gauge|histogram)s?[;)]/g);
    const explained = [...entries].flatMap(([, names = '', type = '']) =>
      codesOf(names).map((name) => [name, type] as const),
    );
    expect(explained.length).toBe(own.length);
    expect(new Map(explained)).toEqual(new Map(own));
  });

  it('has a heading for each alarm, with its severity, in their order', () => {
    const told = [...rules.matchAll(/- alert: (\w+)[\s\S]*?severity: (\w+)/g)];
    const section = sectionOf(readDocument('docs/operations.md'), 'Alarms');
    const headed = [...section.matchAll(/^### (\w+)\n\n`(\w+)`\./gm)];
    const pairs = (found: typeof told) => found.map(([, name, severity]) => ({ name, severity }));
    expect(told.length).toBeGreaterThan(15);
    expect(pairs(headed)).toEqual(pairs(told));
  });

  it.each([...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name))(
    '%s has a summary, what to do, and the place of its heading',
    (name) => {
      const [, own = ''] = rules.split(`- alert: ${name}\n`);
      const [rule = ''] = own.split(/^ {6}- alert:|^ {2}- name:/m);
      expect(rule).toMatch(/^ {10}summary: \S/m);
      expect(rule).toMatch(/^ {10}description: >-\n {12}\S/m);
      expect(rule).toContain(`runbook: docs/operations.md#${name.toLowerCase()}\n`);
    },
  );
});
