import type { Table } from '../figures/report.ts';
import type { Results } from '../figures/results.ts';
import type {
  EngineFigures,
  EngineKind,
  Engines,
  EnginesLine,
  EnginesPlan,
} from '../measures/engines.ts';
import { markdownTable } from './markdown.ts';
import { machineText } from './sections.ts';
import type { Section } from './write-page.ts';

/** The connections that the goals are about. */
const GOAL_CONNECTIONS = 64;
/** PostgreSQL's rate ÷ SQLite's. */
const GOALS: Readonly<Partial<Record<EngineKind, number>>> = { start: 0.8, token: 1, status: 1 };

const NAMES: Readonly<Record<EngineKind, string>> = {
  start: 'start',
  status: 'status',
  complete: 'complete',
  token: 'token',
  login: 'a whole login',
};

/** The engines, the goals, and one instance and two. */
export function engineTables({ lines, instances }: Engines): readonly [Table, Table, Table] {
  return [
    {
      heading: [
        '',
        'connections',
        'SQLite req/s',
        'PostgreSQL req/s',
        'ratio',
        'SQLite p99 ms',
        'PostgreSQL p99 ms',
        'SQLite CPU µs',
        'PostgreSQL CPU µs',
        "the server's CPU µs",
      ],
      rows: lines.map(lineOf),
    },
    { heading: ['PostgreSQL ÷ SQLite', 'measured', 'target', 'verdict'], rows: goalRows(lines) },
    {
      heading: ['', 'one instance req/s', 'two instances req/s', 'ratio'],
      rows: instances.map(({ kind, one, two, ratio }) => [
        NAMES[kind],
        one.toFixed(0),
        two.toFixed(0),
        ratio.toFixed(2),
      ]),
    },
  ];
}

function lineOf({ kind, connections, sqlite, postgres, ratio }: EnginesLine): string[] {
  return [
    NAMES[kind],
    String(connections),
    sqlite.perSecond.toFixed(0),
    postgres.perSecond.toFixed(0),
    ratio.toFixed(2),
    sqlite.p99.toFixed(1),
    postgres.p99.toFixed(1),
    cpuOf(sqlite),
    cpuOf(postgres),
    postgres.serverMicroseconds?.toFixed(0) ?? '',
  ];
}

function cpuOf({ cpuMicroseconds }: EngineFigures): string {
  return cpuMicroseconds?.toFixed(0) ?? '';
}

function goalRows(lines: readonly EnginesLine[]): string[][] {
  return lines.flatMap(({ kind, connections, ratio }) => {
    const goal = GOALS[kind];
    if (goal === undefined || connections !== GOAL_CONNECTIONS) return [];
    const verdict = ratio >= goal ? 'met' : 'not met';
    return [[NAMES[kind], ratio.toFixed(2), `≥ ${goal.toFixed(2)}`, verdict]];
  });
}

export function engineSection(
  engines: Engines,
  about: Pick<Results, 'takenAt' | 'machine'> & { readonly plan: EnginesPlan },
): Section {
  const [all, goals, instances] = engineTables(engines).map(({ heading, rows }) =>
    markdownTable(heading, rows),
  );
  const { rounds, roundSeconds } = about.plan;
  const how = `${rounds} rounds of ${roundSeconds} s for each engine; ratios are medians of the rounds.`;
  const texts = [`${machineText(about)} ${how}`, goals, all, instances];
  return { name: 'postgres', text: texts.filter((text) => text !== undefined).join('\n\n') };
}
