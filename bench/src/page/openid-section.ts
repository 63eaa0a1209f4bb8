import { median } from '../figures/figures.ts';
import type { Table } from '../figures/report.ts';
import type { Results } from '../figures/results.ts';
import { ratioTo, type OpenidLine, type Side } from '../measures/openid.ts';
import { markdownTable } from './markdown.ts';
import { machineText } from './sections.ts';
import type { Section } from './write-page.ts';

/** What the face costs, beside the library alone and beside the attempts. */
export function openidTable(lines: readonly OpenidLine[]): Table {
  return {
    heading: [
      'CPU µs',
      'library, own file',
      'library, our store',
      'attempt API',
      'OPENID=on',
      '÷ own file',
      '÷ our store',
      '÷ our store + attempt API',
    ],
    rows: lines.map((line) => [
      line.name,
      ...(['library', 'libraryOnStore', 'attempts', 'openid'] as const).map((side) =>
        median(line.cpu[side]).toFixed(0),
      ),
      ...RATIOS.map((others) => ratioTo(line, others).toFixed(2)),
    ]),
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
  const { heading, rows } = openidTable(lines);
  return { name: 'openid', text: `${machineText(about)}\n\n${markdownTable(heading, rows)}` };
}
