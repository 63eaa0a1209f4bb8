import type { Table } from '../figures/report.ts';
import type { Results } from '../figures/results.ts';
import type { LiveLine } from '../measures/live.ts';
import { markdownTable } from './markdown.ts';
import { machineText } from './sections.ts';
import type { Section } from './write-page.ts';

/** A whole sign-in in live mode, on each engine. */
export function liveTable(lines: readonly LiveLine[]): Table {
  return {
    heading: [
      'one sign-in',
      'store',
      'a second',
      'service CPU ms',
      'database CPU ms',
      'simulator CPU ms',
      'start p99 ms',
      'token p99 ms',
    ],
    rows: lines.map((line) => [
      `by ${line.flow}`,
      line.engine,
      String(line.rate),
      millisecondsOf(line.service),
      millisecondsOf(line.database),
      millisecondsOf(line.simulator),
      line.startP99.toFixed(0),
      line.tokenP99.toFixed(0),
    ]),
  };
}

export function liveSection(
  lines: readonly LiveLine[],
  about: Pick<Results, 'takenAt' | 'machine'>,
): Section {
  const { heading, rows } = liveTable(lines);
  return { name: 'live', text: `${machineText(about)}\n\n${markdownTable(heading, rows)}` };
}

function millisecondsOf(microseconds: number | null): string {
  return microseconds === null ? '' : (microseconds / 1000).toFixed(1);
}
