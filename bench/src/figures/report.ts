import type { ContenderResult, Results } from './results.ts';
import { table } from './table.ts';
import type { Target, TargetResult } from './targets.ts';

const CONTENDER_HEADING = ['', 'req/s', '÷ raw', 'p50 ms', 'p99 ms', 'CPU µs', 'generator'];
const TARGET_HEADING = ['', 'measured', 'target', 'stretch', ''];

/** What is printed at the end. */
export function report({ contenders, targets, generator, machine }: Results): string {
  const [floor] = contenders;
  const raw = floor?.median.perSecond ?? Number.NaN;
  const { processor, cores, node, kernel, fileSystem } = machine;
  return [
    table(
      CONTENDER_HEADING,
      contenders.map((contender) => contenderLine(contender, raw)),
    ),
    '',
    table(TARGET_HEADING, targets.map(targetLine)),
    '',
    `load generator on the raw server: ours ${whole(generator.ours)} req/s, ` +
      `autocannon ${whole(generator.autocannon)} req/s`,
    `${processor}, ${cores} cores, Node ${node}, kernel ${kernel}, data on ${fileSystem}`,
    '',
  ].join('\n');
}

function contenderLine({ name, median }: ContenderResult, raw: number): string[] {
  const { perSecond, p50, p99, cpuMicroseconds, generatorBusy } = median;
  return [
    name,
    whole(perSecond),
    (perSecond / raw).toFixed(2),
    p50.toFixed(1),
    p99.toFixed(1),
    cpuMicroseconds === null ? '' : whole(cpuMicroseconds),
    `${whole(generatorBusy * 100)} %`,
  ];
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
