import {
  auditHash,
  EMPTY_AUDIT,
  type AuditAction,
  type AuditHead,
  type AuditValues,
} from './audit.ts';
import { parseDigest, type Digest } from '../values/secret.ts';

/** A row as it was read, before anything in it has been verified. */
export interface AuditLink {
  readonly sequence: number;
  readonly values: AuditValues;
  readonly previous: string;
  readonly hash: string;
}

/**
 * - `missing`: the row with this sequence does not exist, but later rows do
 * - `moved`: the row does not follow the row before it: it names another previous hash
 * - `changed`: the content does not match the hash, or the hash was made with an unknown key
 * - `unproven`: the same, where the row may be of another key: the first row that is there, one
 *   between rows of different keys, and several in a row
 * - `truncated`: the log ends before this row, but its head says that the row exists
 * - `beyond`: the row comes after the end that the head names
 * - `head_lost`: the log has no head, so nothing says where it should end
 * - `head_changed`: the log ends with this row, but the head has another hash
 * - `anchor_changed`: the log is said to have been cut here, but no key of ours proves it
 */
export type AuditFault =
  | 'missing'
  | 'moved'
  | 'changed'
  | 'unproven'
  | 'truncated'
  | 'beyond'
  | 'head_lost'
  | 'head_changed'
  | 'anchor_changed';

export type AuditVerdictFault = AuditFault | 'unlogged' | 'undone';

/** Whether the log may be whole, with rows of a key that was not given. */
export function mayBeOfEarlierKey(fault: AuditVerdictFault): boolean {
  return fault === 'unproven' || fault === 'anchor_changed';
}

export type AuditVerdict =
  | {
      readonly ok: true;
      readonly count: number;
      readonly head: Digest;
      /** The last row of those that nothing proves since their key was given up; absent: all are. */
      readonly givenUp?: number;
    }
  | { readonly ok: false; readonly sequence: number; readonly fault: AuditFault }
  | { readonly ok: false; readonly fault: 'unlogged' | 'undone'; readonly fact: StoreFact };

/**
 * - `unlogged`: a fact in the store without its row: nothing in the log says how it came about
 * - `undone`: a row without its fact: a token is valid again, or a user enabled
 */
export interface StoreFact {
  readonly kind: 'token' | 'attempt' | 'user';
  /** The id of that token, attempt or user, as in `miftah audit` and the API. */
  readonly id: string;
  /** The action of the row. */
  readonly action: AuditAction;
}

/** What the store knows of the end of its log: the log's head, and the sequence of its last row. */
export interface AuditEnd {
  readonly head: { readonly count: number; readonly hash: string } | null;
  readonly last: number;
}

/** Written under a key that is known: nothing can prove the rows before it any more. */
export const GIVES_UP: AuditAction = 'people.forgotten';
const ACTION_AT = 2;

/** A row that no key proves, until the next one says what that means. */
interface Suspect {
  readonly sequence: number;
  /** What proves the row before it; null: nothing does. */
  readonly before: Uint8Array | null;
}

interface Place {
  readonly count: number;
  readonly hash: string;
}

/** A row that is wrong, and what is wrong with it. */
export type Broken = Extract<AuditVerdict, { readonly sequence: number }>;

/** Takes the rows in order and reports the first one that is wrong. */
export class AuditChain {
  readonly #keys: readonly Uint8Array[];
  readonly #start: Place;
  #end: Place;
  /** What proves the last row. */
  #key: Uint8Array | null = null;
  #suspect: Suspect | null = null;
  /** The first row that may be of a key that is not given. */
  #unproven: Broken | null;
  /** The last row before one that says that keys were given up. */
  #givenUp: number | null = null;

  /**
   * `keys` may be in any order: while several services change from one key to the next, rows under
   * both keys alternate. `start` is the row that the first row added must follow.
   */
  constructor(keys: readonly Uint8Array[], start: AuditHead = EMPTY_AUDIT, isProven = true) {
    this.#keys = keys;
    this.#start = start;
    this.#end = start;
    this.#unproven = isProven ? null : broken(0, 'anchor_changed');
  }

  /** Null as long as no row is certainly wrong; those that may be are in the verdict. */
  add({ sequence, values, previous, hash }: AuditLink): Broken | null {
    const expected = this.#end.count + 1;
    if (sequence !== expected) return this.#doubted ?? broken(expected, 'missing');
    if (previous !== this.#end.hash) return this.#doubted ?? broken(sequence, 'moved');
    const key = this.#keys.find((one) => auditHash(one, values) === hash) ?? null;
    // Between two rows of one key no other key was in use.
    if (key !== null && key === this.#suspect?.before) return this.#changed;
    if (this.#suspect !== null) this.#unproven ??= broken(this.#suspect.sequence, 'unproven');
    const isFirst = this.#end === this.#start;
    if (key === null && isFirst) this.#unproven ??= broken(sequence, 'unproven');
    this.#suspect = key === null && !isFirst ? { sequence, before: this.#key } : null;
    if (key !== null && values[ACTION_AT] === GIVES_UP) this.#giveUp(sequence - 1);
    this.#key = key;
    this.#end = { count: sequence, hash };
    return null;
  }

  /** The last row that was added. */
  get end(): Place {
    return this.#end;
  }

  /** The first row that may be of a key that is not given, and before which none was given up. */
  get unproven(): Broken | null {
    return this.#unproven;
  }

  /** To be called after the last row: compares the log's end with its head. */
  verdict({ head, last }: AuditEnd): AuditVerdict {
    const { count, hash } = this.#end;
    if (this.#doubted !== null) return this.#doubted;
    if (head === null) return broken(count, 'head_lost');
    if (count < head.count) return broken(count + 1, 'truncated');
    if (last > head.count) return broken(head.count + 1, 'beyond');
    const digest = parseDigest(hash);
    if (hash !== head.hash || digest === null) return broken(count, 'head_changed');
    const proven = { ok: true, count, head: digest } as const;
    return this.#givenUp === null ? proven : { ...proven, givenUp: this.#givenUp };
  }

  /** The row after them is proved, and has their last hash: only what was a row then is accepted. */
  #giveUp(last: number): void {
    if (this.#unproven !== null) this.#givenUp = last;
    this.#unproven = null;
  }

  get #doubted(): Broken | null {
    return this.#unproven ?? this.#changed;
  }

  get #changed(): Broken | null {
    return this.#suspect === null ? null : broken(this.#suspect.sequence, 'changed');
  }
}

export function broken(sequence: number, fault: AuditFault): Broken {
  return { ok: false, sequence, fault };
}
