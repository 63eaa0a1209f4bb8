import {
  auditHash,
  EMPTY_AUDIT,
  type AuditAction,
  type AuditHead,
  type AuditValues,
} from './audit.ts';
import type { Digest } from './digest.ts';

/** A row as it was found, with nothing of it believed yet. */
export interface AuditLink {
  readonly sequence: number;
  readonly values: AuditValues;
  readonly previous: string;
  readonly hash: string;
}

/**
 * - `missing`: there is no row of this sequence, and there are later ones
 * - `moved`: the row was written after another one than the row before it
 * - `changed`: the row is not as it was written, or not by this service's key
 * - `truncated`: the log ends before this row, and its head knows it
 * - `beyond`: the row comes after the end that the head knows
 * - `head_lost`: nothing says where the log ends
 * - `head_changed`: the log ends with this row, and its head says something else
 * - `anchor_changed`: the front of the log is said to have been cut here, and no key of ours said so
 */
export type AuditFault =
  | 'missing'
  | 'moved'
  | 'changed'
  | 'truncated'
  | 'beyond'
  | 'head_lost'
  | 'head_changed'
  | 'anchor_changed';

export type AuditVerdict =
  | { readonly ok: true; readonly count: number; readonly head: Digest }
  | { readonly ok: false; readonly sequence: number; readonly fault: AuditFault }
  | { readonly ok: false; readonly fault: 'unlogged'; readonly unlogged: Unlogged };

/** What stands in the store, and has no row in the log that says how it came about. */
export interface Unlogged {
  readonly kind: 'token' | 'attempt' | 'user';
  /** Of that token, attempt or user, as in `miftah audit` and the API. */
  readonly id: string;
  /** The row that is missing. */
  readonly action: AuditAction;
}

/** What a store says of the end of its log: its head, and the last sequence that is there. */
export interface AuditEnd {
  readonly head: { readonly count: number; readonly hash: string } | null;
  readonly last: number;
}

/** Takes the rows in their order, and says what is wrong with the first that is. */
export class AuditChain {
  readonly #keys: readonly Uint8Array[];
  #end: AuditHead;

  /**
   * Keys in any order: while several services change from one key to the next, their rows alternate.
   * `start` is the row that the first one has to follow.
   */
  constructor(keys: readonly Uint8Array[], start: AuditHead = EMPTY_AUDIT) {
    this.#keys = keys;
    this.#end = start;
  }

  /** Null when the row follows. */
  add({ sequence, values, previous, hash }: AuditLink): AuditVerdict | null {
    const expected = this.#end.count + 1;
    if (sequence !== expected) return broken(expected, 'missing');
    if (previous !== this.#end.hash) return broken(sequence, 'moved');
    const proven = this.#prove(values, hash);
    if (proven === null) return broken(sequence, 'changed');
    this.#end = { count: sequence, hash: proven };
    return null;
  }

  /** After the last row. */
  verdict({ head, last }: AuditEnd): AuditVerdict {
    const { count, hash } = this.#end;
    if (head === null) return broken(count, 'head_lost');
    if (count < head.count) return broken(count + 1, 'truncated');
    if (last > head.count) return broken(head.count + 1, 'beyond');
    return hash === head.hash ? { ok: true, count, head: hash } : broken(count, 'head_changed');
  }

  #prove(values: AuditValues, hash: string): Digest | null {
    for (const key of this.#keys) {
      const proven = auditHash(key, values);
      if (proven === hash) return proven;
    }
    return null;
  }
}

function broken(sequence: number, fault: AuditFault): AuditVerdict {
  return { ok: false, sequence, fault };
}
