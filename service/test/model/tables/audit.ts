import type { KeptHead } from '../../../src/audit/audit-head.ts';
import type { Act } from '../../../src/audit/act.ts';
import { AuditChain, type AuditVerdict } from '../../../src/audit/audit-chain.ts';
import {
  auditHash,
  EMPTY_AUDIT,
  hashedValues,
  type AuditAction,
  type AuditHead,
  type AuditQuery,
  type AuditRow,
  type AuditSubject,
  type ChangeAction,
  type LastSuccesses,
  type NewAuditRow,
} from '../../../src/audit/audit.ts';
import type { AttemptRecord } from '../../../src/attempt/attempt.ts';
import type { Ms } from '../../../src/values/time.ts';
import type { AuditCut } from '../../../src/store/ports/store.port.ts';

/** The rows about the whole store. */
const MARKS: ReadonlySet<AuditAction> = new Set(['store.restored', 'store.behind']);

const TASK_ACTIONS = [
  ['backup', 'store.backed_up'],
  ['verify', 'audit.verified'],
  ['doctor', 'service.examined'],
] as const;

/** The audit log of the model: the same rows and hashes as in a database. */
export class AuditLog {
  readonly #rows: AuditRow[] = [];
  readonly #key: Uint8Array;
  #head: AuditHead = EMPTY_AUDIT;
  #anchor: AuditHead = EMPTY_AUDIT;
  /** Who calls; each call is one step, so it is set at the beginning of each. */
  act: Act | null = null;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  append(entry: NewAuditRow): void {
    const { count, hash: previous } = this.#head;
    const { at, action } = entry;
    const { actor = null, reason = null } = this.act ?? {};
    const about = { ...subjectOf(entry), actor, reason };
    const row = { sequence: count + 1, at, action, ...about, previous };
    const hash = auditHash(this.#key, hashedValues(row));
    this.#head = { count: row.sequence, hash };
    this.#rows.push({ ...row, hash });
  }

  /** Appends the row of an attempt that has just changed. */
  appendAttempt(action: ChangeAction, at: Ms, attempt: AttemptRecord): void {
    const { attemptId, userId, client, endReason: detail } = attempt;
    this.append({ action, at, attemptId, userId, client, detail });
  }

  read({ after, limit, attemptId }: AuditQuery): AuditRow[] {
    return this.#rows
      .filter((row) => row.sequence > after)
      .filter((row) => attemptId === undefined || row.attemptId === attemptId)
      .slice(0, limit);
  }

  get head(): AuditHead {
    return this.#head;
  }

  contains({ count, hash }: AuditHead): boolean {
    const { count: first, hash: before } = this.#anchor;
    if (count <= first) return count < first || hash === before;
    return this.#rows.some((row) => row.sequence === count && row.hash === hash);
  }

  knows(head: KeptHead): boolean {
    if (this.isBehind) return false;
    return this.contains(head) || (this.#mark !== undefined && this.#mark.at > head.at);
  }

  get isBehind(): boolean {
    return this.#mark?.action === 'store.behind';
  }

  get #mark(): AuditRow | undefined {
    return this.#rows.findLast(({ action }) => MARKS.has(action));
  }

  get lastSuccesses(): LastSuccesses {
    const found = TASK_ACTIONS.flatMap(([task, action]) => {
      const row = this.#rows.findLast((one) => one.action === action);
      return row === undefined ? [] : [[task, row.at] as const];
    });
    return new Map(found);
  }

  cut({ before, limit, at }: AuditCut): number {
    const stays = this.#rows.findIndex((row) => row.at >= before);
    const cuttable = stays === -1 ? this.#rows.length : stays;
    const count = Math.min(cuttable, limit, Math.max(this.#rows.length - 1, 0));
    const last = this.#rows.splice(0, count).at(-1);
    if (last === undefined) return 0;
    this.#anchor = { count: last.sequence, hash: last.hash };
    this.append({ at, action: 'audit.cut', count });
    return count;
  }

  /** Only this class can remove rows, so every fact in the store has its row. */
  verify(): AuditVerdict {
    const chain = new AuditChain([this.#key], this.#anchor);
    for (const row of this.#rows) {
      const broken = chain.add({ ...row, values: hashedValues(row) });
      if (broken !== null) return broken;
    }
    return chain.verdict({ head: this.#head, last: this.#head.count });
  }
}

function subjectOf(entry: NewAuditRow): AuditSubject {
  return {
    attemptId: entry.attemptId ?? null,
    userId: entry.userId ?? null,
    client: entry.client ?? null,
    personDigest: entry.personDigest ?? null,
    detail: entry.detail ?? null,
    count: entry.count ?? null,
  };
}
