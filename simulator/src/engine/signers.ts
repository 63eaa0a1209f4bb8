/**
 * Who signs in on the approval of a request that the caller keeps. People change at run time, and the
 * request may end after that: it ends as the person of its start, or as nobody.
 */
import { createHash } from 'node:crypto';
import { BUILT_IN_PEOPLE } from './built-in-people.ts';
import { Directory } from './directory.ts';
import type { Person } from './person.ts';

/**
 * Names a person by id and national id, for example `amal:` and 22 characters of Base64url. It has
 * only a digest of the national id, so a search of the store for a number finds none. That protects
 * nobody real: whoever has the digest can try all numbers, and the people here are invented.
 */
export type PersonMark = string;

/** Whom a prompt is for. */
export interface Asked {
  readonly signer: Person;
  /** Whether the number that was asked is the signer's. Otherwise anybody may approve. */
  readonly isOwner: boolean;
}

const BUILT_IN = new Directory(BUILT_IN_PEOPLE);
const DIGEST_LENGTH = 22;

/** Stands in for a person who is not known any more. Whoever approves as nobody is refused. */
const NOBODY: Person = {
  ...BUILT_IN_PEOPLE.fallback,
  id: 'nobody-known',
  nationalId: '',
};

export function isNobody({ nationalId }: Person): boolean {
  return nationalId === NOBODY.nationalId;
}

export function markOf({ id, nationalId }: Pick<Person, 'id' | 'nationalId'>): PersonMark {
  const digest = createHash('sha256').update(`person ${nationalId}`).digest('base64url');
  return `${id}:${digest.slice(0, DIGEST_LENGTH)}`;
}

/** The person with this mark, also one who was removed; nobody, if another has the id or the number. */
function personWith(mark: PersonMark, directory: Directory): Person {
  const [id = ''] = mark.split(':');
  return directory.everBeing(id).find((person) => markOf(person) === mark) ?? NOBODY;
}

/** Whom a decision of before has named; null for nobody. */
export function personNamed(mark: PersonMark | null, directory: Directory): Person | null {
  return mark === null ? null : personWith(mark, directory);
}

/**
 * What a request has to keep of the person whom it is for; null for those of the simulator itself,
 * who are the same after a reset, a restart and with another people file.
 */
export function signerToKeep(nationalId: string | null, directory: Directory): PersonMark | null {
  const signer = directory.signerFor(nationalId);
  const { id, nationalId: number } = BUILT_IN.signerFor(nationalId);
  return signer.id === id && signer.nationalId === number ? null : markOf(signer);
}

/** @param kept what `signerToKeep` gave when the request began */
export function askedAtStart(
  nationalId: string | null,
  kept: PersonMark | null,
  directory: Directory,
): Asked {
  if (kept !== null) {
    const signer = personWith(kept, directory);
    const [id = ''] = kept.split(':');
    return { signer, isOwner: nationalId !== null && markOf({ id, nationalId }) === kept };
  }
  const builtIn = BUILT_IN.signerFor(nationalId);
  const found = directory
    .everBeing(builtIn.id)
    .find((person) => person.nationalId === builtIn.nationalId);
  return { signer: found ?? builtIn, isOwner: builtIn.nationalId === nationalId };
}

/** For a request that begins now. */
export function askedNow(nationalId: string | null, directory: Directory): Asked {
  const signer = directory.signerFor(nationalId);
  return { signer, isOwner: signer.nationalId === nationalId };
}
