/** The measurements other than rates: growth, steady load, and the time of a start. */
import type { Table } from '../figures/report.ts';
import type { Growth, GrowthLine } from '../measures/growth.ts';
import type { SoakName, SoakSample } from '../measures/soak.ts';
import type { StartPart } from '../measures/start-profile.ts';
import type { Bar } from './bar-chart.ts';
import { markdownTable } from './markdown.ts';
import type { Section } from './write-page.ts';

export function growthTable(lines: readonly GrowthLine[]): Table {
  return {
    heading: ['', 'stored attempts', 'req/s', '÷ the fewest', 'p99 ms', 'CPU µs'],
    rows: lines.map(({ kind, attempts, perSecond, ratio, p99, cpuMicroseconds }) => [
      kind,
      grouped(attempts),
      perSecond.toFixed(0),
      ratio.toFixed(2),
      p99.toFixed(1),
      cpuMicroseconds.toFixed(0),
    ]),
  };
}

export function growthSection({ lines, crowd }: Growth, goals: Table): Section {
  const { people, heapMegabytes, residentMegabytes } = crowd;
  const resident =
    residentMegabytes === null ? '' : `, and ${residentMegabytes.toFixed(0)} MB of memory in all`;
  const bars = lines.map(({ kind, attempts, cpuMicroseconds }): Bar => {
    const note = `${cpuMicroseconds.toFixed(0)} µs`;
    return { label: `${kind}, ${grouped(attempts)} stored`, value: cpuMicroseconds, note };
  });
  return {
    name: 'growth',
    text: [
      markdown(growthTable(lines)),
      markdown(goals),
      `While ${grouped(people)} people wait, the service holds ` +
        `${heapMegabytes.toFixed(1)} MB more in its heap than with a thousand${resident}.`,
    ].join('\n\n'),
    charts: { 'performance-growth': { title: 'CPU of a request, by stored attempts', bars } },
  };
}

export function soakTable(samples: readonly SoakSample[]): Table {
  return {
    heading: ['after', 'req/s', 'p99 ms', 'CPU µs', 'memory MB', 'open files'],
    rows: samples.map((sample) => [
      `${sample.seconds} s`,
      sample.perSecond.toFixed(0),
      sample.p99.toFixed(1),
      sample.cpuMicroseconds?.toFixed(0) ?? '',
      sample.residentMegabytes?.toFixed(0) ?? '',
      String(sample.openFiles ?? ''),
    ]),
  };
}

export function soakSection(samples: readonly SoakSample[], name: SoakName = 'soak'): Section {
  const bars = samples.map(({ seconds, residentMegabytes }): Bar => {
    const value = residentMegabytes ?? 0;
    return { label: `after ${seconds} s`, value, note: `${value.toFixed(0)} MB` };
  });
  return {
    name,
    text: markdown(soakTable(samples)),
    charts: { [`performance-${name}`]: { title: 'Memory under steady load', bars } },
  };
}

export function startTable(parts: readonly StartPart[]): Table {
  const rows = parts.map(({ part, milliseconds }) => [part, milliseconds.toFixed(0)]);
  return { heading: ['', 'ms'], rows };
}

export function startSection(parts: readonly StartPart[]): Section {
  const bars = parts.map(({ part, milliseconds }): Bar => {
    return { label: part, value: milliseconds, note: `${milliseconds.toFixed(0)} ms` };
  });
  return {
    name: 'start',
    text: markdown(startTable(parts)),
    charts: { 'performance-start': { title: 'Where a cold start spends its time', bars } },
  };
}

function markdown({ heading, rows }: Table): string {
  return markdownTable(heading, rows);
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
