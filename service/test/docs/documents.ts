import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The Markdown files of a folder at the root. */
export function documentsIn(folder: string): readonly string[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.md'));
  return names.map((name) => `${folder}/${name}`);
}

/** The cells of the rows whose first cell begins with code, wherever their table is. */
export function codeRows(text: string): readonly (readonly string[])[] {
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  return rows
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));
}

/** The entries of lists that begin with code: the code, what is in parentheses after it, the text. */
export function codeEntries(text: string): readonly (readonly string[])[] {
  const entries = text.matchAll(/^- (`[^`]+`(?:, `[^`]+`)*)(?: \(([^)]*)\))?: (.+)$/gm);
  return [...entries].map(([, code = '', given = '', said = '']) => [code, given, said]);
}

/** The texts between backticks in a cell. */
export function codesOf(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** The part of a document below one heading of the second level. */
export function sectionOf(text: string, heading: string): string {
  const [, after = ''] = text.split(`\n## ${heading}\n`, 2);
  return after.split(/^## /m, 1)[0] ?? '';
}
