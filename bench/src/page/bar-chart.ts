/** Bars with labels as SVG text: readable on a light and on a dark page, and by a screen reader. */

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The text at the bar's end; by default the value. */
  readonly note?: string;
  /** Drawn lighter, because it is only for comparison. */
  readonly isOther?: boolean;
}

export interface BarChart {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const WIDTH = 760;
const LABEL_WIDTH = 270;
const NOTE_WIDTH = 110;
const TOP = 44;
const ROW = 26;
const BAR = 16;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; font-size: 15px; }
  .own { fill: #1a7f64; }
  .other { fill: #8c959f; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .own { fill: #3fb68b; }
    .other { fill: #768390; }
  }
`;

export function barChart({ title, bars }: BarChart): string {
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const height = TOP + bars.length * ROW + 8;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<text class="title" x="8" y="24">${escaped(title)}</text>`,
    ...bars.map((bar, index) => rowOf(bar, TOP + index * ROW, most)),
    '</svg>',
    '',
  ].join('\n');
}

function rowOf({ label, value, note, isOther }: Bar, top: number, most: number): string {
  const length = ((WIDTH - LABEL_WIDTH - NOTE_WIDTH) * value) / most;
  const middle = top + BAR - 3;
  return [
    `<text x="${LABEL_WIDTH - 8}" y="${middle}" text-anchor="end">${escaped(label)}</text>`,
    `<rect class="${isOther === true ? 'other' : 'own'}" x="${LABEL_WIDTH}" y="${top}" ` +
      `width="${length.toFixed(1)}" height="${BAR}" rx="2"/>`,
    `<text x="${(LABEL_WIDTH + length + 6).toFixed(1)}" y="${middle}">` +
      `${escaped(note ?? String(value))}</text>`,
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
