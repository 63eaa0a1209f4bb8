import { DriveFailure } from './failure.ts';
import { rowOf, rowsOf, textOf, type Row } from './rows.ts';
import type { Session } from './session.ts';

/** An error is a few lines. */
const MOST_LISTED = 20;

/** Of one answer, as the control API has it. */
const PEOPLE_PAGE = 1000;

/** The first people of the scope, the default person before the others. @throws DriveFailure */
export async function peopleOf({ control }: Session, most: number): Promise<readonly Row[]> {
  const people: Row[] = [];
  for (;;) {
    const limit = Math.min(most - people.length, PEOPLE_PAGE);
    const after = people.length === 0 ? undefined : textOf(people.at(-1) ?? {}, 'id');
    const query = { limit: String(limit), after };
    const page = rowsOf(await control.call('listPeople', { query }));
    people.push(...page);
    if (page.length < limit || people.length >= most) return people;
  }
}

/** @param instead what can be named, before the people @throws DriveFailure for nobody */
export async function personNamed(session: Session, id: string, instead: string): Promise<Row> {
  const read = session.control.call('readPerson', { id });
  return rowOf(await read.catch((error: unknown) => explain(session, error, instead)));
}

/** @throws DriveFailure that names who is there, where it is that there is no such person */
export async function explain(session: Session, error: unknown, instead: string): Promise<never> {
  if (!(error instanceof DriveFailure) || error.code !== 'people.not_found') throw error;
  throw await noPerson(session, instead, error.requestId);
}

/** There is no such person. @throws DriveFailure where the people can't be listed */
async function noPerson(
  session: Session,
  instead: string,
  requestId: string | undefined,
): Promise<DriveFailure> {
  const people = await peopleOf(session, MOST_LISTED + 1);
  const ids = people.slice(0, MOST_LISTED).map((row) => textOf(row, 'id'));
  const more = people.length > MOST_LISTED ? ' and others' : '';
  return new DriveFailure({
    code: 'people.not_found',
    message: 'There is no such person in this scope.',
    remedy: `${instead} one of its people: ${ids.join(', ')}${more}.`,
    requestId,
  });
}
