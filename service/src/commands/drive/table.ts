import { styleText } from 'node:util';
import type { Output } from '../instance/drive-context.ts';
import { withoutControls } from '../instance/without-controls.ts';
import { textOf, type Row } from '../instance/rows.ts';

export interface Column {
  readonly title: string;
  /** The name of the member, or what makes the text of it. */
  readonly of: string | ((row: Row) => string);
  /** The colour of a cell with this text. */
  readonly style?: (text: string) => Style | undefined;
  /** Left out where the terminal is too narrow for all columns. */
  readonly isExtra?: true;
}

type Style = 'bold' | 'green' | 'red' | 'yellow';

const GAP = '  ';
/** Where the width of the terminal is not known. */
const USUAL_COLUMNS = 80;
/** Of a narrower terminal the last column of a survey would show nothing. */
const LEAST_SURVEYED = 60;
const CHARACTERS = new Intl.Segmenter('en');

/** The colours of what an attempt or a prompt can be in. */
const STATES: Readonly<Record<string, Style>> = {
  approved: 'green',
  authenticated: 'green',
  'token issued': 'green',
  pending: 'yellow',
  waiting: 'yellow',
  rejected: 'red',
  failed: 'red',
  expired: 'red',
};

/** The console's words for what the API has names for. `--json` has the names. */
const WORDS: Readonly<Record<string, string>> = {
  area_a: 'application',
  area_b: 'provider',
  callback: 'signed result',
  mfa: 'phone',
  oidc: 'browser',
  redeemed: 'token issued',
};

/** The text of a member in the words of the console. */
export const inWords = (member: string) => (row: Row) => {
  const name = textOf(row, member);
  return WORDS[name] ?? name;
};

export function styleOfState(text: string): Style | undefined {
  return STATES[text];
}

/**
 * A table for a terminal. Whatever is wider than the terminal becomes a block of lines for each
 * row: a wrapped table can't be read. Text in Arabic belongs in the last column: terminals disagree
 * about its width, and nothing comes after it that would have to stand in line.
 */
export function tableOf(
  rows: readonly Row[],
  columns: readonly Column[],
  output: Output,
  hasTitles = true,
): string {
  const cells = rows.map((row) => columns.map((column) => cellOf(row, column)));
  const widths = columns.map(({ title }, place) =>
    Math.max(title.length, ...cells.map((row) => widthOf(row[place] ?? ''))),
  );
  const total = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  if (total > (output.columns ?? USUAL_COLUMNS)) return blocksOf(cells, columns, output);
  const line = (texts: readonly string[], styleOf: (place: number) => Style | undefined) =>
    texts
      .map((text, place) => painted(styleOf(place), text, output) + blanks(widths, place, text))
      .join(GAP);
  const titles = columns.map(({ title }) => title);
  const lines = cells.map((texts) =>
    line(texts, (place) => columns[place]?.style?.(texts[place] ?? '')),
  );
  return [...(hasTitles ? [line(titles, () => 'bold')] : []), ...lines]
    .map((one) => `${one}\n`)
    .join('');
}

/** Names and values under each other: one row of an answer. */
export function listOf(row: Row, columns: readonly Column[], output: Output): string {
  return blocksOf([columns.map((column) => cellOf(row, column))], columns, output);
}

/** With colour only where the output shows it: not in a file, and not with NO_COLOR. */
export function painted(style: Style | undefined, text: string, output: Output): string {
  const isShown = style !== undefined && isStream(output);
  return isShown ? styleText(style, text, { stream: output }) : text;
}

/** Fills a cell up to the width of its column; the last one ends its line. */
function blanks(widths: readonly number[], place: number, text: string): string {
  const isLast = place === widths.length - 1;
  return isLast ? '' : ' '.repeat((widths[place] ?? 0) - widthOf(text));
}

function blocksOf(
  rows: readonly (readonly string[])[],
  columns: readonly Column[],
  output: Output,
): string {
  const width = Math.max(...columns.map(({ title }) => title.length));
  const lineOf = ({ title, style }: Column, text: string) =>
    `${painted('bold', title.padEnd(width), output)}${GAP}${painted(style?.(text), text, output)}\n`;
  const blocks = rows.map((cells) =>
    columns.map((column, place) => lineOf(column, cells[place] ?? '')).join(''),
  );
  return blocks.join('\n');
}

/**
 * A table to choose a row from. On a terminal that is too narrow it has only the columns that tell
 * the rows apart, the last one cut, and says below where the rest is.
 */
export function surveyOf(
  rows: readonly Row[],
  columns: readonly Column[],
  output: Output,
  rest: string,
): string {
  const whole = tableOf(rows, columns, output);
  const width = output.columns ?? USUAL_COLUMNS;
  const fits = whole.split('\n').length === rows.length + 2;
  if (fits || width < LEAST_SURVEYED) return whole;
  const kept = columns.filter(({ isExtra }) => isExtra !== true);
  const taken = kept.slice(0, -1).map((column) => {
    const widths = rows.map((row) => widthOf(cellOf(row, column)));
    return Math.max(column.title.length, ...widths) + GAP.length;
  });
  const left = width - taken.reduce((sum, one) => sum + one, 0);
  const cut = kept.map((column, place): Column => {
    if (place < kept.length - 1) return column;
    return { ...column, of: (row) => cutTo(left, cellOf(row, column)) };
  });
  return `${tableOf(rows, cut, output)}${rest}\n`;
}

function cutTo(width: number, text: string): string {
  const characters = [...CHARACTERS.segment(text)].map(({ segment }) => segment);
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`;
}

function cellOf(row: Row, { of }: Column): string {
  const text = typeof of === 'string' ? textOf(row, of) : of(row);
  return withoutControls(text) || '-';
}

function widthOf(text: string): number {
  return [...CHARACTERS.segment(text)].length;
}

/** `styleText` refuses anything that is no stream. */
function isStream(output: Output): output is Output & NodeJS.WritableStream {
  return 'on' in output && 'end' in output;
}
