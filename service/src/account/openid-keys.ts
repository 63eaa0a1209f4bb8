import { memberOf } from '../values/member.ts';
import { DAY_MS, SECOND_MS, type Ms } from '../values/time.ts';

/** The record of the store that has the keys with which ID tokens are signed. */
export const SIGNING_KEYS = { model: 'SigningKeys', id: 'current' } as const;

/** One key for each algorithm, as private JSON Web Keys (RFC 7517). */
type KeySet = readonly unknown[];

/**
 * All three are published. The next keys are, so that clients which keep the list for hours know them
 * before anything is signed with them; the previous ones, so that what they have signed can be
 * verified until it has expired, also where another instance has gone on with them for a while.
 */
export interface SigningKeys {
  readonly current: KeySet;
  /** Empty in a store of before they were made together with the current ones. */
  readonly next: KeySet;
  readonly previous: KeySet;
  /** Since when the next ones are published. */
  readonly nextSince: Ms;
}

/** How long the next keys are published before they sign: clients keep the list for a day at most. */
const KNOWN_AFTER_MS = DAY_MS;

export function firstKeys(current: KeySet, next: KeySet, at: Ms): SigningKeys {
  return { current, next, previous: [], nextSince: at };
}

/** The next keys sign from now on. Where there are none, these become them, and nothing else changes. */
export function rotated(keys: SigningKeys, made: KeySet, at: Ms): SigningKeys {
  if (keys.next.length === 0) return { ...keys, next: made, nextSince: at };
  return { current: keys.next, next: made, previous: keys.current, nextSince: at };
}

/** How long an instance goes on with the signing keys that it has read. */
export const READ_AGAIN_MS = 10 * SECOND_MS;

/**
 * Until when no rotation may follow the last one, whoever insists: the keys of before would be
 * published no more, while some instance may still sign with them.
 */
export function settledFrom({ previous, nextSince }: SigningKeys): Ms {
  return previous.length === 0 ? 0 : nextSince + READ_AGAIN_MS;
}

/** Until when the next keys may be unknown to a client. */
export function knownFrom({ next, nextSince }: SigningKeys): Ms {
  return next.length === 0 ? nextSince : nextSince + KNOWN_AFTER_MS;
}

/** The first key of an algorithm is the one that signs. */
export function published({ current, next, previous }: SigningKeys): KeySet {
  return [...current, ...next, ...previous];
}

/** @throws Error for what this service has not written */
export function parseSigningKeys(body: string): SigningKeys {
  const kept: unknown = JSON.parse(body);
  if (Array.isArray(kept)) return { current: kept, next: [], previous: [], nextSince: 0 };
  const [current, next, previous] = ['current', 'next', 'previous'].map((name) =>
    memberOf(kept, name),
  );
  const nextSince = memberOf(kept, 'nextSince');
  if (!isKeySet(current) || !isKeySet(next) || !isKeySet(previous) || !isTime(nextSince)) {
    throw new Error('the signing keys in the store can not be read');
  }
  return { current, next, previous, nextSince };
}

const isKeySet = (value: unknown): value is KeySet => Array.isArray(value);
const isTime = (value: unknown): value is Ms => typeof value === 'number';
