/**
 * The tables of the README, generated from the code. `node simulator/test/support/tables.ts` writes
 * them; a test fails if they differ from the code.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_PEOPLE } from '../../src/engine/built-in-people.ts';
import { RECORDS } from '../../src/engine/error-records.ts';
import { outcomeId } from '../../src/engine/national-id.ts';
import { OUTCOMES } from '../../src/engine/outcomes.ts';
import { BEHAVIOURS, CONTRADICTED } from '../../src/fidelity.ts';
import { PROFILES } from '../../src/profiles.ts';

export const README = join(import.meta.dirname, '..', '..', 'README.md');

type Cells = readonly string[];

const people = BUILT_IN_PEOPLE.all.map((person) => [
  person.nationalId,
  person.id,
  person.englishName.full,
  person.arabicName.full,
  person.about,
]);

const outcomes = OUTCOMES.map(({ number, key, title }) => [outcomeId(number), key, title.en]);
const records = Object.values(RECORDS).map(({ code, message }) => [code, message]);
const behaviours = BEHAVIOURS.map(({ where, what, grade, why }) => [where, what, grade, why]);
const contradicted = CONTRADICTED.map(({ before, now, why }) => [before, now, why]);
const profiles = Object.entries(PROFILES).map(([name, what]) => [`\`${name}\``, what]);

const TABLES: Readonly<Record<string, readonly Cells[]>> = {
  people: [['Number', 'Id', 'English name', 'Arabic name', 'For'], ...people],
  outcomes: [['Number', 'Key', 'What happens'], ...outcomes],
  records: [['Code', 'Message'], ...records],
  behaviours: [['Where', 'What the simulator does', 'How sure', 'Why'], ...behaviours],
  contradicted: [['Before', 'Now', 'Why'], ...contradicted],
  profiles: [['`PROFILE`', 'How a web token says who somebody is'], ...profiles],
};

/** The text with each marked table generated again. */
export function withTables(text: string): string {
  let renewed = text;
  for (const [name, rows] of Object.entries(TABLES)) {
    const [begin, end] = [`<!-- table: ${name} -->`, '<!-- end -->'];
    const start = renewed.indexOf(begin);
    const stop = renewed.indexOf(end, start);
    if (start < 0 || stop < 0) throw new Error(`the README has no place for the table ${name}`);
    const before = renewed.slice(0, start + begin.length);
    renewed = `${before}\n\n${markdown(rows)}\n\n${renewed.slice(stop)}`;
  }
  return renewed;
}

function markdown([head = [], ...rows]: readonly Cells[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

if (import.meta.main) writeFileSync(README, withTables(readFileSync(README, 'utf8')));
