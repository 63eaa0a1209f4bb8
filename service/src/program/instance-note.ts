import { keyedDigest } from '../domain/digest.ts';
import { SECOND_MS, type Ms } from '../domain/time.ts';
import type { ServerKeys } from './store-needs.ts';

/** How long the others believe that whoever wrote a note still runs. */
export const NOTE_KEEP_MS: Ms = 45 * SECOND_MS;

/** An instance of the service, as the others see it. */
interface InstanceNote {
  /** Ids of its keys, which reveal nothing of them. The first one is what it writes with. */
  readonly keys: readonly string[];
  /** The machine and the port, for messages. */
  readonly place: string;
  /** With `STRICT=yes` its provider is in its own process, so it must be the only instance. */
  readonly isStrict: boolean;
}

/** A command of an operator that changes the database and must be alone with it. */
interface CommandNote {
  /** For example `restore`. */
  readonly command: string;
  readonly place: string;
}

/** What each program that must know of the others writes into their common database. */
export type RosterNote = InstanceNote | CommandNote;

/** Why two programs can't use a database at the same time. */
export interface Conflict {
  /** What is wrong and what to do. */
  readonly message: string;
  /** Whether it matters only at a start: an instance that runs already may go on. */
  readonly isForStarts: boolean;
}

export function noteOfInstance(
  { current, retired }: ServerKeys,
  { place, isStrict }: Pick<InstanceNote, 'place' | 'isStrict'>,
): InstanceNote {
  return { keys: [current, ...retired].map(idOf), place, isStrict };
}

const COMMAND = 'command=';
const PLACE = 'at=';
const STRICT = 'strict';

/**
 * Instances of earlier versions take the first word as the id of the key that is written with, and
 * each later one as the id of a known key. So no command runs beside one of them either: none knows
 * a key with the id of a command.
 */
export function textOf(note: RosterNote): string {
  const place = PLACE + encodeURIComponent(note.place);
  if ('command' in note) return [COMMAND + encodeURIComponent(note.command), place].join(' ');
  const [current = ''] = note.keys;
  return [current, ...note.keys, place, ...(note.isStrict ? [STRICT] : [])].join(' ');
}

export function noteIn(text: string): RosterNote {
  const [first = '', ...words] = text.split(' ');
  const placed = words.find((word) => word.startsWith(PLACE));
  const place = placed === undefined ? 'unknown' : decodeURIComponent(placed.slice(PLACE.length));
  if (first.startsWith(COMMAND)) {
    return { command: decodeURIComponent(first.slice(COMMAND.length)), place };
  }
  const keys = [first, ...words.filter((word) => word !== STRICT && !word.startsWith(PLACE))];
  return { keys, place, isStrict: words.includes(STRICT) };
}

/** Null when both may use the database. */
export function conflictBetween(own: RosterNote, other: RosterNote): Conflict | null {
  if ('command' in own) return { message: busyWith([other]), isForStarts: true };
  if ('command' in other) {
    const { command, place } = other;
    const message = `\`miftah ${command}\` works on this database, on ${place}: start after it`;
    return { message, isForStarts: false };
  }
  const keyFault = faultOfKeys(own, other);
  if (keyFault !== null) return { message: keyFault, isForStarts: false };
  return own.isStrict || other.isStrict
    ? { message: strictFault(own, other), isForStarts: true }
    : null;
}

/** What is said to an operator whose command needs the database for itself. */
export function busyWith(others: readonly RosterNote[]): string {
  const named = others.map((other) =>
    'command' in other ? `\`miftah ${other.command}\` on ${other.place}` : other.place,
  );
  return (
    `the database is in use: ${named.join(', ')}. Stop what runs there, run this command again, ` +
    'and start the instances after it. Nothing was changed'
  );
}

function faultOfKeys(own: InstanceNote, other: InstanceNote): string | null {
  const [current = ''] = own.keys;
  const [theirs = ''] = other.keys;
  if (!own.keys.includes(theirs)) {
    return (
      'another instance with this database writes with a SECRET_KEY that this one does not have: ' +
      'give it here too, as SECRET_KEY or in RETIRED_SECRET_KEYS'
    );
  }
  if (!other.keys.includes(current)) {
    return (
      'another instance with this database runs without the SECRET_KEY of this one: first start ' +
      'every instance with it in RETIRED_SECRET_KEYS, then with it as SECRET_KEY. An instance that ' +
      `was killed counts for ${NOTE_KEEP_MS / SECOND_MS} seconds more`
    );
  }
  return null;
}

function strictFault(own: InstanceNote, other: InstanceNote): string {
  const who = own.isStrict ? 'this instance has' : `the instance on ${other.place} has`;
  return (
    `${who} STRICT=yes, and its simulated provider is in its own process: no other instance can ` +
    `use the same database beside it${own.isStrict ? `, and one runs on ${other.place}` : ''}. For ` +
    'several instances start the simulator by itself (`npm run simulator`) and the instances with ' +
    'PROVIDER=live'
  );
}

const ID_CHARACTERS = 16;

function idOf(key: Uint8Array): string {
  return Buffer.from(keyedDigest(key, 'id of the key')).toString('hex').slice(0, ID_CHARACTERS);
}
