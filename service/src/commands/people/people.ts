import type { Command } from 'commander';
import type { AddDriveCommand, DriveContext } from '../instance/drive-context.ts';
import { group } from '../instance/group.ts';
import { jsonIn } from '../instance/json-file.ts';
import { explain } from '../instance/people-named.ts';
import { rowOf, rowsOf, textOf, type Row } from '../instance/rows.ts';
import { onRun, driveCommand, type Session } from '../instance/session.ts';
import { generateCommand } from './generate.ts';
import { listOf, surveyOf, type Column } from '../drive/table.ts';

const nameIn = (member: string) => (row: Row) => textOf(rowOf(row[member]), 'full');

const PEOPLE: readonly Column[] = [
  { title: 'PERSON', of: 'id' },
  { title: 'NATIONAL ID', of: 'national_id' },
  { title: 'LEVEL', of: 'assurance_level', isExtra: true },
  { title: 'ABOUT', of: 'about', isExtra: true },
  { title: 'NAME', of: nameIn('english_name') },
  { title: 'ARABIC NAME', of: nameIn('arabic_name'), isExtra: true },
];

/** Of one there is room for all. */
const PERSON: readonly Column[] = [
  ...PEOPLE,
  { title: 'GENDER', of: 'gender' },
  { title: 'NATIONALITY', of: (row) => textOf(rowOf(row['nationality']), 'code') },
  { title: 'BIRTH DATE', of: 'birth_date' },
  { title: 'E-MAIL', of: 'email' },
  { title: 'DOCUMENT', of: 'document_type' },
  { title: 'LANGUAGE', of: 'preferred_locale' },
];

const ALL_OF_A_PERSON = 'All of a person: miftah people show PERSON.';
const ALL_OF_OUTCOMES = 'All of each: miftah outcomes --json.';

const OUTCOMES: readonly Column[] = [
  { title: 'OUTCOME', of: 'key' },
  { title: 'NATIONAL ID', of: 'national_id' },
  {
    title: 'BY BROWSER',
    of: (row) => (row['redirect'] === null ? 'no' : 'yes'),
    isExtra: true,
  },
  { title: 'WHAT HAPPENS', of: (row) => textOf(rowOf(row['title']), 'en') },
];

/** As the control API has it. */
const MOST_LISTED = 1000;

interface ListOptions {
  readonly search?: string;
  readonly after?: string;
  readonly limit?: string;
}

/** `miftah people`: those of the scope. */
export const peopleCommand: AddDriveCommand = (program, context) => {
  const people = group(program, 'people', 'the invented people who can sign in');
  const list = driveCommand(people, 'list', 'everybody, the default person first', {
    isDefault: true,
  })
    .option('--search <text>', 'those with it in the id, the number, a name or the note')
    .option('--after <person>', 'those who come after this one')
    .option('--limit <number>', `how many at most, 1 to ${MOST_LISTED} (${MOST_LISTED})`);
  onRun(list, context, async ({ control, print, note }, { search, after, limit }: ListOptions) => {
    const data = await control.call('listPeople', { query: { search, after, limit } });
    const rows = rowsOf(data);
    print(data, () => surveyOf(rows, PEOPLE, context.out, ALL_OF_A_PERSON));
    if (rows.length < Number(limit ?? MOST_LISTED)) return;
    note(`There may be more: --after ${textOf(rows.at(-1) ?? {}, 'id')}, or --search TEXT.`);
  });
  onePerson(people, context, 'show <person>', 'one of them', ({ control }, id) =>
    control.call('readPerson', { id }),
  );
  onePerson(
    people,
    context,
    'put <person> <file>',
    'adds or changes one: JSON; - reads it',
    putPerson,
  );
  onePerson(people, context, 'remove <person>', 'removes one', ({ control }, id) =>
    control.call('removePerson', { id }),
  );
  generateCommand(people, context);
};

function putPerson({ control, context }: Session, id: string, file: unknown): Promise<unknown> {
  const body = rowOf(jsonIn(typeof file === 'string' ? file : '', context.readFile));
  return control.call('putPerson', { id, body });
}

function onePerson(
  people: Command,
  context: DriveContext,
  usage: string,
  description: string,
  ask: (session: Session, id: string, file: unknown) => Promise<unknown>,
): void {
  onRun(
    driveCommand(people, usage, description),
    context,
    async (session, id: string, file: unknown) => {
      const data = await ask(session, id, file).catch((error: unknown) =>
        explain(session, error, 'Name'),
      );
      session.print(data, () => listOf(rowOf(data), PERSON, context.out));
    },
  );
}

/** `miftah outcomes`. */
export const outcomesCommand: AddDriveCommand = (program, context) => {
  const outcomes = driveCommand(
    program,
    'outcomes',
    'what a sign-in can come to, with its national id',
  );
  onRun(outcomes, context, async ({ control, print }) => {
    const data = await control.call('listOutcomes');
    print(data, () => surveyOf(rowsOf(data), OUTCOMES, context.out, ALL_OF_OUTCOMES));
  });
};
