import { median } from '../figures/figures.ts';
import { generatorLine, goalsOf, linesOf, machineLine, type Table } from '../figures/report.ts';
import type { ContenderResult, Results } from '../figures/results.ts';
import type { ContenderId } from '../measures/contenders.ts';
import { LEVELS, LOOPS, type LoopSample } from '../measures/open-loop.ts';
import type { Bar, BarChart } from './bar-chart.ts';
import { markdownTable } from './markdown.ts';
import type { Section } from './write-page.ts';

const RATES: readonly ContenderId[] = [
  'raw',
  'rawLogged',
  'fastify',
  'fastifyLogged',
  'status',
  'start',
  'complete',
  'token',
  'cibaPollMemory',
  'cibaStartMemory',
];

const LOGINS: readonly ContenderId[] = [
  'login',
  'loginPaced',
  'loginLongPoll',
  'loginLongPollPaced',
  'loginPacedAsStarted',
  'cibaLoginMemory',
  'cibaLogin',
  'codeLoginMemory',
  'codeLogin',
  'codeLoginEs256',
  'openidCibaLogin',
  'openidLogin',
];

/** The highest load average before the benchmark at which the machine counts as idle. */
const QUIET_LOAD = 0.5;

/** The contenders that charts show for comparison. */
const FLOORS: ReadonlySet<ContenderId> = new Set(['raw', 'rawLogged', 'fastify', 'fastifyLogged']);

/** The sections that a whole run writes to the page. */
export function sectionsOf(results: Results): Section[] {
  return [
    { name: 'machine', text: machineText(results) },
    { name: 'goals', text: markdown(goalsOf(results.targets)) },
    {
      name: 'rates',
      text: [
        markdown(linesOf(results)),
        loginsText(results),
        `The ${generatorLine(results)}.`,
      ].join('\n\n'),
      charts: {
        'performance-rates': rateChart(results),
        'performance-logins': loginChart(results),
      },
    },
    {
      name: 'open loop',
      text: markdown(loopTable(results.openLoops)),
      charts: { 'performance-open-loop': loopChart(results.openLoops) },
    },
  ];
}

export function machineText(results: Pick<Results, 'takenAt' | 'machine'>): string {
  const { loadBefore } = results.machine;
  const text = `Of ${results.takenAt.slice(0, 10)}. ${machineLine(results)}.`;
  if (loadBefore < QUIET_LOAD) return text;
  return (
    `${text} **Other work ran on it** (load average ${loadBefore.toFixed(1)} before the run): ` +
    'rates are too low, times too high, and ratios rough; CPU says most.'
  );
}

function markdown({ heading, rows }: Table): string {
  return markdownTable(heading, rows);
}

/**
 * Compares the processor time of a login, because a server with one event loop can't use two cores
 * fully.
 */
function loginsText({ contenders }: Results): string {
  const each = chosen(contenders, LOGINS).map(({ name, median: { cpuMicroseconds } }) => {
    const perCore = cpuMicroseconds === null ? 'unknown' : (1e6 / cpuMicroseconds).toFixed(0);
    return `${name}: ${perCore}`;
  });
  return `Logins a second for each core that is busy with them: ${each.join('; ')}.`;
}

function rateChart({ contenders }: Results): BarChart {
  const bars = chosen(contenders, RATES).map(({ id, name, median: { perSecond } }): Bar => {
    const note = `${perSecond.toFixed(0)}/s`;
    return { label: name, value: perSecond, note, isOther: isOther(id) };
  });
  return { title: 'Answers per second, 64 connections', bars };
}

function loginChart({ contenders }: Results): BarChart {
  const bars = chosen(contenders, LOGINS).map(({ id, name, median: round }): Bar => {
    const milliseconds = (round.cpuMicroseconds ?? 0) / 1000;
    const note = `${milliseconds.toFixed(2)} ms`;
    return { label: name, value: milliseconds, note, isOther: isOther(id) };
  });
  return { title: 'CPU of one login, all threads of the server', bars };
}

function chosen(
  contenders: readonly ContenderResult[],
  ids: readonly ContenderId[],
): ContenderResult[] {
  return ids.flatMap((id) => contenders.find((contender) => contender.id === id) ?? []);
}

function isOther(id: ContenderId): boolean {
  return FLOORS.has(id) || id.startsWith('ciba') || id.startsWith('code');
}

interface LoopLine {
  readonly name: string;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

function loopTable(samples: readonly LoopSample[]): Table {
  return {
    heading: ['', 'req/s', 'p50 ms', 'p99 ms', 'p99.9 ms'],
    rows: loopLines(samples).map(({ name, perSecond, p50, p99, p999 }) => [
      name,
      perSecond.toFixed(0),
      p50.toFixed(2),
      p99.toFixed(1),
      p999.toFixed(1),
    ]),
  };
}

function loopChart(samples: readonly LoopSample[]): BarChart {
  const bars = loopLines(samples).map(({ name, p99 }): Bar => {
    return { label: name, value: p99, note: `${p99.toFixed(1)} ms` };
  });
  return { title: 'p99 from when a request was due, by rate', bars };
}

/** The medians over the processes. */
function loopLines(samples: readonly LoopSample[]): LoopLine[] {
  return LOOPS.flatMap((kind) =>
    LEVELS.map((level) => {
      const own = samples.filter((sample) => sample.kind === kind && sample.level === level);
      const middle = (of: 'perSecond' | 'p50' | 'p99' | 'p999') =>
        median(own.map((sample) => sample[of]));
      return {
        name: `${kind}, ${level * 100} % of the peak`,
        perSecond: middle('perSecond'),
        p50: middle('p50'),
        p99: middle('p99'),
        p999: middle('p999'),
      };
    }),
  );
}
