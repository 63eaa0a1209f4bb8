import type { Sample } from '../measures/sessions.ts';
import { median as middle } from './figures.ts';
import type { ContenderResult, Results } from './results.ts';
import { table } from './table.ts';
import type { Target, TargetResult } from './targets.ts';

export interface Table {
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What is printed at the end. */
export function report(results: Results): string {
  const [lines, goals] = [linesOf(results), goalsOf(results.targets)];
  return [
    table(lines.heading, lines.rows),
    '',
    table(goals.heading, goals.rows),
    '',
    generatorLine(results),
    machineLine(results),
    '',
  ].join('\n');
}

export function linesOf({ contenders }: Results): Table {
  const raw = contenders[0]?.median.perSecond ?? Number.NaN;
  return {
    heading: ['', 'req/s', '÷ raw', 'p50 ms', 'p99 ms', 'CPU µs', 'spread', 'generator'],
    rows: contenders.map((contender) => contenderLine(contender, raw)),
  };
}

export function goalsOf(targets: readonly TargetResult[]): Table {
  return {
    heading: ['', 'measured', 'target', 'stretch', 'verdict'],
    rows: targets.map(targetLine),
  };
}

export function generatorLine({ generator }: Results): string {
  return (
    `load generator on the raw server: ours ${whole(generator.ours)} req/s, ` +
    `autocannon ${whole(generator.autocannon)} req/s`
  );
}

export function machineLine({ machine }: Pick<Results, 'machine'>): string {
  const { processor, cores, node, kernel, fileSystem } = machine;
  return `${processor}, ${cores} cores, Node ${node}, kernel ${kernel}, data on ${fileSystem}`;
}

function contenderLine({ name, median, samples }: ContenderResult, raw: number): string[] {
  const { perSecond, p50, p99, cpuMicroseconds, generatorBusy } = median;
  return [
    name,
    whole(perSecond),
    (perSecond / raw).toFixed(2),
    p50.toFixed(1),
    p99.toFixed(1),
    cpuMicroseconds === null ? '' : whole(cpuMicroseconds),
    `${whole(spreadOf(samples) * 100)} %`,
    `${whole(generatorBusy * 100)} %`,
  ];
}

/**
 * How much the processes of one server differ: the range of their medians, relative to the
 * smallest.
 */
function spreadOf(samples: readonly Sample[]): number {
  const byProcess = Map.groupBy(samples, (sample) => sample.process);
  const medians = [...byProcess.values()].map((ofOne) =>
    middle(ofOne.map(({ perSecond }) => perSecond)),
  );
  return Math.max(...medians) / Math.min(...medians) - 1;
}

function targetLine(target: TargetResult): string[] {
  const { name, bound, limit, stretch, measured, verdict } = target;
  const sign = { 'at least': '≥', 'at most': '≤', exactly: '=' }[bound];
  const goal = (value: number) => `${sign} ${figure(value, target)}`;
  return [
    name,
    measured === null ? '' : figure(measured, target),
    goal(limit),
    stretch === null ? '' : goal(stretch),
    verdict,
  ];
}

function figure(value: number, { unit }: Target): string {
  if (unit === '') return value.toFixed(2);
  return `${value < 10 ? value.toFixed(2) : whole(value)} ${unit}`;
}

function whole(value: number): string {
  return value.toFixed(0);
}
