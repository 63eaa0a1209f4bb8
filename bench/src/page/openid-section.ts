import { median } from '../figures/figures.ts';
import type { Table } from '../figures/report.ts';
import type { Results } from '../figures/results.ts';
import { ratioTo, type OpenidLine, type Side } from '../measures/openid.ts';
import { markdownTable } from './markdown.ts';
import { machineText } from './sections.ts';
import type { Section } from './write-page.ts';

const SHOWN = ['library', 'libraryOnStore', 'attempts', 'openid'] as const;
const HEADING = ['library, own file', 'library, our store', 'attempt API', 'OPENID=on'];

/** What the face costs, beside the library alone and beside the attempts. */
export function openidTable(lines: readonly OpenidLine[]): Table {
  return {
    heading: [
      'CPU µs',
      ...HEADING,
      '÷ own file',
      '÷ our store',
      '÷ our store + attempt API',
      'simulated provider',
    ],
    rows: lines.map((line) => [
      line.name,
      ...SHOWN.map((side) => median(line.cpu[side]).toFixed(0)),
      ...RATIOS.map((others) => ratioTo(line, others).toFixed(2)),
      median(line.simulated.openid).toFixed(0),
    ]),
  };
}

/** What each request of the sign-ins costs; a side without such a request has none. */
export function requestsTable(lines: readonly OpenidLine[]): Table {
  return {
    heading: ['CPU µs', ...HEADING],
    rows: lines.flatMap(({ name, requests }) =>
      Object.entries(requests).map(([request, cpu]) => [
        `${name}: ${request}`,
        ...SHOWN.map((side) => (cpu[side].length === 0 ? '' : median(cpu[side]).toFixed(0))),
      ]),
    ),
  };
}

const RATIOS: readonly (readonly Side[])[] = [
  ['library'],
  ['libraryOnStore'],
  ['libraryOnStore', 'attempts'],
];

export function openidSection(
  lines: readonly OpenidLine[],
  about: Pick<Results, 'takenAt' | 'machine'>,
): Section {
  const tables = [openidTable(lines), requestsTable(lines)];
  const texts = tables.map(({ heading, rows }) => markdownTable(heading, rows));
  return { name: 'openid', text: [machineText(about), ...texts].join('\n\n') };
}
