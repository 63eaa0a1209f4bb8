// Rules about lines of text, in any language.

import { parse, placeAt } from '../syntax.ts';
import type { SourceFile } from '../tree.ts';
import { isCodePath, isProductPath, type Place, type TidyRule } from './rule.ts';

const LONGEST_FILE_LINES = 400;
const LONGEST_LINE_COLUMNS = 120;
/** A text for people that fills a whole line: divided, it would be hard to read and to find. */
const ONE_TEXT = /^\s*(?:[\w'-]+: )?(['"`])(?:(?!\1).)*\1,?$/;

/** A folder of one machine, which other readers do not have. */
const MACHINE_PATH = /(?<![\w.~/-])\/(?:work|tmp|root|home|Users)\/\w?/;
const UNFINISHED = /\b(?:TODO|FIXME|XXX)\b/;

export const TEXT_RULES: readonly TidyRule[] = [
  { name: 'file-length', covers: isWrittenByPeople, find: findLongFile },
  { name: 'line-length', covers: isCodePath, find: findLongLines },
  { name: 'trailing-space', covers: () => true, find: findTrailingSpace },
  { name: 'machine-path', covers: () => true, find: findMachinePaths },
  { name: 'unfinished', covers: isCodePath, find: findUnfinished },
];

/** Generated files are left out; they are reviewed where their source is. */
function isWrittenByPeople(path: string): boolean {
  return isProductPath(path) && !path.endsWith('.generated.ts');
}

function findLongFile(file: SourceFile): Place[] {
  const lines = file.text.trimEnd().split('\n').length;
  if (lines <= LONGEST_FILE_LINES) return [];
  return [{ line: 1, message: `${lines} lines, the limit is ${LONGEST_FILE_LINES}` }];
}

function findLongLines(file: SourceFile): Place[] {
  const message = `longer than ${LONGEST_LINE_COLUMNS} columns`;
  return findLines(
    file,
    (line) => line.length > LONGEST_LINE_COLUMNS && !ONE_TEXT.test(line),
    message,
  );
}

function findTrailingSpace(file: SourceFile): Place[] {
  return findLines(file, (line) => /\s$/.test(line), 'ends with a blank');
}

function findMachinePaths(file: SourceFile): Place[] {
  return findLines(file, (line) => MACHINE_PATH.test(line), 'names a folder of one machine');
}

function findLines(
  { text }: SourceFile,
  isBad: (line: string) => boolean,
  message: string,
): Place[] {
  const places = text.split('\n').map((line, index) => ({ bad: isBad(line), line: index + 1 }));
  return places.filter(({ bad }) => bad).map(({ line }) => ({ line, message }));
}

function findUnfinished(file: SourceFile): Place[] {
  return parse(file)
    .comments.filter(({ value }) => UNFINISHED.test(value))
    .map(({ start }) => placeAt(file, start, 'finish it, or write it down where plans are kept'));
}
