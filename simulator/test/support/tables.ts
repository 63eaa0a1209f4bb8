/**
 * The tables of documents, generated from the code. `node simulator/test/support/tables.ts` writes
 * them; a test fails if they differ from the code.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COACH_RULES } from '../../src/coach/rules.ts';
import { RECORDS } from '../../src/engine/error-records.ts';
import { outcomeId } from '../../src/engine/people/national-id.ts';
import { mayWait, redirectTargetOf } from '../../src/engine/outcomes/outcome-reach.ts';
import { OUTCOMES } from '../../src/engine/outcomes/outcomes.ts';
import type { Behaviour } from '../../src/fidelity/behaviour.ts';
import { behaviourOf, PROBES, SIGN_IN } from '../../src/fidelity/card.ts';
import { BEHAVIOURS } from '../../src/fidelity.ts';
import { PROFILES } from '../../src/profiles.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
export const README = join(ROOT, 'simulator', 'README.md');
export const SIMULATOR = join(ROOT, 'docs', 'simulator.md');

type Cells = readonly string[];

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
/** What most reasons say is in the text above the table, so a word is enough. */
const SHORT: Readonly<Record<string, string>> = {
  'the interface document': '',
  'several integrations': '',
  'one integration': 'one',
};

const behaviours = BEHAVIOURS.map((behaviour) => {
  const { where, what } = behaviour;
  const names = questions.get(behaviour)?.map(({ name }) => name) ?? [];
  return [where, what, sureness(behaviour), [...new Set(names)].join('; ')];
});
const profiles = Object.entries(PROFILES).map(([name, { what, grade, why }]) => [
  `\`${name}\``,
  what,
  grade,
  why,
]);

/** Their texts are too long for cells. What to change is said by the console. */
const coach = COACH_RULES.map(({ key, title, says }) => `- **${title.en}** (\`${key}\`): ${says}`);

const TABLES: Readonly<Record<string, string>> = {
  outcomes: tableOf(['Number', 'Key', 'What happens', 'By browser', '`after`'], outcomes),
  records: tableOf(['Code', 'Message'], records),
  behaviours: tableOf(
    ['Where', 'What the simulator does', 'How sure', 'Asked by the doctor'],
    behaviours,
  ),
  coach: coach.join('\n'),
  profiles: tableOf(['`PROFILE`', 'What tokens say', 'How sure', 'Why'], profiles),
};

/** The documents, and the tables of each. */
export const DOCUMENTS: readonly (readonly [path: string, names: readonly string[]])[] = [
  [README, ['records', 'profiles']],
  [SIMULATOR, ['outcomes', 'coach', 'behaviours']],
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

function sureness({ grade, why }: Behaviour): string {
  const reason = SHORT[why] ?? why;
  return reason === '' ? grade : `${grade}: ${reason}`;
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
