/**
 * The tables of documents, generated from the code. `node simulator/test/support/tables.ts` writes
 * them; a test fails if they differ from the code.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COACH_RULES } from '../../src/coach/rules.ts';
import { BUILT_IN_PEOPLE } from '../../src/engine/built-in-people.ts';
import { RECORDS } from '../../src/engine/error-records.ts';
import { outcomeId } from '../../src/engine/national-id.ts';
import { mayWait, redirectTargetOf } from '../../src/engine/outcome-reach.ts';
import { OUTCOMES } from '../../src/engine/outcomes.ts';
import { behaviourOf, PROBES, SIGN_IN } from '../../src/fidelity/card.ts';
import { BEHAVIOURS, CONTRADICTED } from '../../src/fidelity.ts';
import { PROFILES } from '../../src/profiles.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
export const README = join(ROOT, 'simulator', 'README.md');
export const SIMULATOR = join(ROOT, 'docs', 'simulator.md');
const TESTING = join(ROOT, 'docs', 'testing-your-app.md');

type Cells = readonly string[];

const people = BUILT_IN_PEOPLE.all.map((person) => [
  person.nationalId,
  person.id,
  person.englishName.full,
  person.arabicName.full,
  person.about,
]);

/** Where an outcome acts in a sign-in by browser. */
const BY_BROWSER = {
  page: 'on the page',
  answer: 'session request',
  result: 'exchange',
} as const;

const outcomes = OUTCOMES.map((outcome) => {
  const target = redirectTargetOf(outcome);
  return [
    outcomeId(outcome.number),
    `\`${outcome.key}\``,
    outcome.title.en,
    target === null ? '' : BY_BROWSER[target],
    mayWait(outcome) ? 'yes' : '',
  ];
});
const records = Object.values(RECORDS).map(({ code, message }) => [code, message]);
/** The names of the questions of `miftah doctor --against`, by the behaviour that they show. */
const questions = Map.groupBy(
  [...PROBES, SIGN_IN].flatMap(({ name, where, what, points = [] }) =>
    [what, ...points.map((point) => point.what)].map((start) => ({
      name,
      behaviour: behaviourOf(where, start),
    })),
  ),
  ({ behaviour }) => behaviour,
);
const behaviours = BEHAVIOURS.map((behaviour) => {
  const { where, what, grade, why } = behaviour;
  const names = questions.get(behaviour)?.map(({ name }) => name) ?? [];
  return [where, what, grade, why, [...new Set(names)].join('; ')];
});
const contradicted = CONTRADICTED.map(({ before, now, why }) => [before, now, why]);
const profiles = Object.entries(PROFILES).map(([name, { what, grade, why }]) => [
  `\`${name}\``,
  what,
  grade,
  why,
]);

/** Their texts are too long for cells. */
const coach = COACH_RULES.map(
  ({ key, title, advice, says }) =>
    `- **${title.en}** (\`${key}\`)\n  - When: ${says}\n  - What to change: ${advice.en}`,
);

const TABLES: Readonly<Record<string, string>> = {
  people: tableOf(['Number', 'Id', 'English name', 'Arabic name', 'For'], people),
  outcomes: tableOf(['Number', 'Key', 'What happens', 'By browser', '`after`'], outcomes),
  records: tableOf(['Code', 'Message'], records),
  behaviours: tableOf(
    ['Where', 'What the simulator does', 'How sure', 'Why', 'Asked by the doctor'],
    behaviours,
  ),
  contradicted: tableOf(['Before', 'Now', 'Why'], contradicted),
  coach: coach.join('\n'),
  profiles: tableOf(['`PROFILE`', 'What tokens say', 'How sure', 'Why'], profiles),
};

/** The documents, and the tables of each. */
export const DOCUMENTS: readonly (readonly [path: string, names: readonly string[]])[] = [
  [README, ['records', 'profiles']],
  [SIMULATOR, ['people', 'outcomes', 'coach', 'behaviours', 'contradicted']],
  [TESTING, ['outcomes']],
];

/** The text with each of these tables generated again. */
export function withTables(text: string, names: readonly string[]): string {
  let renewed = text;
  for (const name of names) {
    const [begin, end] = [`<!-- table: ${name} -->`, '<!-- end -->'];
    const start = renewed.indexOf(begin);
    const stop = renewed.indexOf(end, start);
    if (start < 0 || stop < 0) throw new Error(`there is no place for the table ${name}`);
    const before = renewed.slice(0, start + begin.length);
    renewed = `${before}\n\n${TABLES[name] ?? ''}\n\n${renewed.slice(stop)}`;
  }
  return renewed;
}

function tableOf(head: Cells, rows: readonly Cells[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

if (import.meta.main) {
  for (const [path, names] of DOCUMENTS) {
    writeFileSync(path, withTables(readFileSync(path, 'utf8'), names));
  }
}
