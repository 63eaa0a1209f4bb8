import { typedDigits } from '@miftah/contract/typed-digits';
import { DriveFailure } from './failure.ts';
import { pause } from './pause.ts';
import { personNamed } from './people-named.ts';
import { personOf, rowsOf, textOf, type Row } from './rows.ts';
import type { Session } from './session.ts';

const LOOK_AGAIN_MS = 250;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** An error is a few lines. */
const MOST_LISTED = 10;

/** In ASCII, whatever digits it was typed in; null for what is no ten digits. */
export function nationalIdIn(text: string): string | null {
  const digits = typedDigits(text);
  return digits?.length === 10 ? digits : null;
}

/**
 * The prompt that is meant, as soon as it waits for a person.
 * @param which the id of a prompt or an attempt; or a national id or the id of a person, of whom
 * there has to be exactly one prompt. When it is undefined there has to be exactly one that somebody
 * sees, or else exactly one at all.
 * @param limitMs how long it is waited for
 * @param random the number of the push, where its sender was told it: of several the newest is meant
 * @throws DriveFailure
 */
export async function findPrompt(
  session: Session,
  which: string | undefined,
  limitMs: number,
  random?: string,
): Promise<Row> {
  const { clock } = session.context;
  const end = clock.now() + limitMs;
  // A service may call its attempts anything, so the people are asked for only after a look.
  let seen = await look(session, which, random);
  const name = seen.found === undefined ? await nameOf(session, which) : which;
  if (name !== which) seen = await look(session, name, random);
  while (seen.found === undefined) {
    if (clock.now() >= end) throw none(which, seen.waiting);
    await pause(session, LOOK_AGAIN_MS);
    seen = await look(session, name, random);
  }
  return seen.found;
}

async function look({ control }: Session, name: string | undefined, random?: string) {
  const waiting = rowsOf(await control.call('listPrompts'));
  const called =
    name === undefined ? answerable(waiting) : waiting.filter((row) => isCalled(row, name));
  const meant =
    random === undefined
      ? called
      : called.filter((row) => textOf(row, 'random') === random).slice(-1);
  const isOneAttempt = meant.every(
    (row) => name !== undefined && textOf(row, 'request_id') === name,
  );
  if (meant.length > 1 && !isOneAttempt) throw several(meant, name);
  return { waiting, found: meant[0] };
}

/**
 * Those that somebody sees; without any, all. A sign-in page that no browser has opened is left of
 * whoever has started and gone away, and it would be in the way of the next one.
 */
function answerable(waiting: readonly Row[]): readonly Row[] {
  const shown = waiting.filter((row) => row['shown'] === true);
  return shown.length > 0 ? shown : waiting;
}

function isCalled(row: Row, name: string): boolean {
  return ['id', 'request_id', 'national_id'].some((member) => textOf(row, member) === name);
}

/** The national id of a person who is named by it or by their id. @throws DriveFailure */
async function nameOf(session: Session, which: string | undefined): Promise<string | undefined> {
  if (which === undefined) return which;
  if (UUID.test(which)) return which.toLowerCase();
  const nationalId = nationalIdIn(which);
  if (nationalId !== null) return nationalId;
  const person = await personNamed(session, which, 'Name an attempt, a prompt, a national id, or');
  return textOf(person, 'national_id');
}

function none(which: string | undefined, waiting: readonly Row[]): DriveFailure {
  const message = `No such prompt waits. ${listed(waiting)}`;
  return new DriveFailure({
    code: 'prompt.not_found',
    message: which === undefined ? 'No prompt waits for a person.' : message,
    remedy: '`miftah prompts` lists what waits; --timeout waits longer for one that comes.',
  });
}

function several(meant: readonly Row[], name: string | undefined): DriveFailure {
  const isByPerson = name !== undefined;
  const who = isByPerson ? ' of this person' : '';
  const byPerson = isByPerson ? '' : ', by the national id or by the id of its person';
  return new DriveFailure({
    code: 'command.several_prompts',
    message: `${meant.length} prompts${who} wait. ${listed(meant)}`,
    remedy: `Name one by the id of its attempt${byPerson}: \`miftah prompts\` lists them.`,
  });
}

function kindOf(row: Row): string {
  const person = personOf(row);
  if (textOf(row, 'kind') === 'push') return person === '' ? 'push' : `push to ${person}`;
  return row['shown'] === true ? 'open sign-in page' : 'unopened sign-in page';
}

/** Without the national ids: an error is copied into logs and chats. */
function listed(waiting: readonly Row[]): string {
  if (waiting.length === 0) return 'Nothing waits.';
  const each = waiting
    .slice(0, MOST_LISTED)
    .map((row) => `${kindOf(row)} of attempt ${textOf(row, 'request_id')}`);
  const more = waiting.length > MOST_LISTED ? ', and others' : '';
  return `These wait: ${each.join(', ')}${more}.`;
}
