import { DriveFailure } from './failure.ts';
import { rowsOf, textOf, type Row } from './rows.ts';
import type { Session } from './session.ts';

/** An error is a few lines. */
const MOST_LISTED = 20;

/** The people of the scope, the default person first. @throws DriveFailure */
export async function peopleOf({ control }: Session): Promise<readonly Row[]> {
  return rowsOf(await control.call('listPeople'));
}

/**
 * There is no such person.
 * @param people who is there
 * @param instead what can be named, before the people
 */
export function noPerson(
  people: readonly Row[],
  instead: string,
  requestId?: string,
): DriveFailure {
  const ids = people.slice(0, MOST_LISTED).map((row) => textOf(row, 'id'));
  const more = people.length > MOST_LISTED ? ' and others' : '';
  return new DriveFailure({
    code: 'people.not_found',
    message: 'There is no such person in this scope.',
    remedy: `${instead} one of its people: ${ids.join(', ')}${more}.`,
    requestId,
  });
}
