import type { Command } from 'commander';
import type { AddDriveCommand, DriveContext } from '../instance/drive-context.ts';
import { DriveFailure } from '../instance/failure.ts';
import { group } from '../instance/group.ts';
import { jsonIn } from '../instance/json-file.ts';
import { noPerson, peopleOf } from '../instance/people-named.ts';
import { rowOf, rowsOf, textOf, type Row } from '../instance/rows.ts';
import { onRun, driveCommand, type Session } from '../instance/session.ts';
import { listOf, surveyOf, type Column } from './table.ts';

const nameIn = (member: string) => (row: Row) => textOf(rowOf(row[member]), 'full');

const PEOPLE: readonly Column[] = [
  { title: 'PERSON', of: 'id' },
  { title: 'NATIONAL ID', of: 'national_id' },
  { title: 'LEVEL', of: 'assurance_level', isExtra: true },
  { title: 'ABOUT', of: 'about', isExtra: true },
  { title: 'NAME', of: nameIn('english_name') },
  { title: 'ARABIC NAME', of: nameIn('arabic_name'), isExtra: true },
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

/** `miftah people`: those of the scope. */
export const peopleCommand: AddDriveCommand = (program, context) => {
  const people = group(program, 'people', 'the invented people who can sign in');
  const list = driveCommand(people, 'list', 'everybody, the default person first', {
    isDefault: true,
  });
  onRun(list, context, async ({ control, print }) => {
    const data = await control.call('listPeople');
    print(data, () => surveyOf(rowsOf(data), PEOPLE, context.out, ALL_OF_A_PERSON));
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
      const data = await ask(session, id, file).catch((error: unknown) => explain(session, error));
      session.print(data, () => listOf(rowOf(data), PEOPLE, context.out));
    },
  );
}

/** @throws DriveFailure that names who is there, where it is that there is no such person */
async function explain(session: Session, error: unknown): Promise<never> {
  if (!(error instanceof DriveFailure) || error.code !== 'people.not_found') throw error;
  throw noPerson(await peopleOf(session), 'Name', error.requestId);
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
