import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Edit, Mistake } from './planted-bug.ts';

/** The text to replace is not exactly once in its file. */
export class StaleBug extends Error {}

/** The content of a bug's files with the bug in them. @throws StaleBug */
export function textsWith(copy: string, { edits }: Mistake): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const edit of edits) {
    const text = texts.get(edit.file) ?? readFileSync(join(copy, edit.file), 'utf8');
    texts.set(edit.file, edited(text, edit));
  }
  return texts;
}

function edited(text: string, { file, from, to }: Edit): string {
  const [before, after, ...more] = text.split(from);
  if (before !== undefined && after !== undefined && more.length === 0) return before + to + after;
  const times = after === undefined ? 'not there' : 'there more than once';
  throw new StaleBug(`${file}: the text to be replaced is ${times}`);
}

/** Plants the bug. @returns a function that removes it. @throws StaleBug */
export function plant(copy: string, bug: Mistake): () => void {
  const texts = textsWith(copy, bug);
  const sound = [...texts.keys()].map((file) => [file, readFileSync(join(copy, file), 'utf8')]);
  for (const [file, text] of texts) writeFileSync(join(copy, file), text);
  return () => {
    for (const [file = '', text = ''] of sound) writeFileSync(join(copy, file), text);
  };
}
