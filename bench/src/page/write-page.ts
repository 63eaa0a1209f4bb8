import { readFileSync, writeFileSync } from 'node:fs';
import { barChart, type BarChart } from './bar-chart.ts';
import { withSection } from './markdown.ts';

const PAGE = new URL('../../../docs/performance.md', import.meta.url);
const IMAGES = new URL('../../../docs/images/', import.meta.url);

/** A measured part of docs/performance.md, with its pictures. */
export interface Section {
  readonly name: string;
  readonly text: string;
  /** Charts by their file name, without its extension. */
  readonly charts?: Readonly<Record<string, BarChart>>;
}

export function writePage(sections: readonly Section[]): void {
  let page = readFileSync(PAGE, 'utf8');
  for (const { name, text, charts = {} } of sections) {
    const pictures = Object.entries(charts).map(
      ([file, { title }]) => `![${title}](images/${file}.svg)`,
    );
    page = withSection(page, name, [text, ...pictures].join('\n\n'));
    for (const [file, chart] of Object.entries(charts)) {
      writeFileSync(new URL(`${file}.svg`, IMAGES), barChart(chart));
    }
  }
  writeFileSync(PAGE, page);
}
