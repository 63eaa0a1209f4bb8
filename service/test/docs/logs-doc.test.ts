import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { undocumentedIn } from '../support/canaries/log-members.ts';
import { codeEntries, codesOf, readDocument, sectionOf } from './documents.ts';

const ROOT = join(import.meta.dirname, '../../..');
const document = readDocument('docs/operations.md');

const sources = globSync('{service,simulator}/src/**/*.ts', { cwd: ROOT }).filter(
  (path) => !path.endsWith('.test.ts'),
);

/** A call of the log, and the first text in it. */
const CALL =
  /(?:\blog(?:ger)?\.(warn|error|fatal)|logFailure|log(Warning))\([^;']{0,200}?'([^'\n]+)'/g;

const messages = sources.flatMap((path) =>
  [...readFileSync(join(ROOT, path), 'utf8').matchAll(CALL)].map(
    ([, level, warning, text = '']) => ({
      level: level === 'warn' || warning !== undefined ? '40' : '50',
      text,
    }),
  ),
);

/** The lists below the headings that name a level. */
const rows = sectionOf(document, 'Warnings and errors')
  .split(/^### /m)
  .flatMap((list) => {
    const [, level = ''] = /^.*\(level (\d+)\)\n/.exec(list) ?? [];
    return codeEntries(list).flatMap(([texts = '']) =>
      codesOf(texts).map((text) => ({ level, text })),
    );
  });

describe('docs/operations.md', () => {
  it('has each warning and error of the sources', () => {
    expect(messages.length).toBeGreaterThan(15);
    expect(messages.filter((one) => !rows.some((row) => isSame(row, one)))).toEqual([]);
  });

  it('has no other', () => {
    expect(rows.filter((row) => !messages.some((one) => isSame(row, one)))).toEqual([]);
  });

  it('knows the members of a line, and no other', () => {
    const line = { level: 30, time: 1, pid: 1, hostname: 'a', reqId: 'b', msg: 'request' };
    expect(undocumentedIn(JSON.stringify({ ...line, method: 'GET', ended: 'failed' }))).toEqual([]);
    expect(undocumentedIn(JSON.stringify({ ...line, attempt: 'x', device: 'y' }))).toEqual([
      'attempt',
      'device',
    ]);
    // What is not of the log: something else that was printed, and spans of traces.
    expect(undocumentedIn('{ "attempt": "x" }')).toEqual([]);
    expect(undocumentedIn('{"level":')).toEqual([]);
  });
});

type Row = (typeof rows)[number];

function isSame(row: Row, one: Row): boolean {
  return row.level === one.level && row.text === one.text;
}
