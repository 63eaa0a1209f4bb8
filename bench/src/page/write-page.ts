import { readFileSync, writeFileSync } from 'node:fs';
import { barChart, type BarChart } from './bar-chart.ts';
import { withSection } from './markdown.ts';

const PAGE = new URL('../../../docs/performance.md', import.meta.url);
export const TESTING_PAGE = new URL('../../../docs/testing-your-app.md', import.meta.url);
const IMAGES = new URL('../../../docs/images/', import.meta.url);

/** A measured part of a document, with its pictures. */
export interface Section {
  readonly name: string;
  readonly text: string;
  /** Charts by their file name, without its extension. */
  readonly charts?: Readonly<Record<string, BarChart>>;
}

/** @param file by default docs/performance.md */
export function writePage(sections: readonly Section[], file = PAGE): void {
  let page = readFileSync(file, 'utf8');
  for (const { name, text, charts = {} } of sections) {
    const pictures = Object.entries(charts).map(
      ([image, { title }]) => `![${title}](images/${image}.svg)`,
    );
    page = withSection(page, name, [text, ...pictures].join('\n\n'));
    for (const [image, chart] of Object.entries(charts)) {
      writeFileSync(new URL(`${image}.svg`, IMAGES), barChart(chart));
    }
  }
  writeFileSync(file, page);
}
