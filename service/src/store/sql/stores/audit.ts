import { AuditChain, type AuditVerdict } from '../../../domain/audit-chain.ts';
import {
  anchorProof,
  auditHash,
  type AuditAnchor,
  type AuditHead,
  type AuditQuery,
  type AuditRow,
} from '../../../domain/audit.ts';
import type { KeptHead } from '../../../domain/audit-head.ts';
import { parseDigest } from '../../../domain/digest.ts';
import type { AuditCut, OperatorStore } from '../../../ports/store/index.ts';
import { cutAudit } from '../commands/operator.ts';
import type { SqlParts } from '../engine.ts';
import { all, one, type Read } from '../read.ts';
import {
  auditAnchorFromRow,
  auditEndFromRow,
  auditFromRow,
  auditLinkFromRow,
  unloggedFromRow,
  type StoredAnchor,
} from '../rows/audit.ts';
import type { SqlRow } from '../statement.ts';

/** The number of rows read at once; hashing them takes a few milliseconds. */
const PAGE = 1000;

/** Reads, verifies and cuts the audit log. Commands write its rows, together with the changes. */
export function auditMethods(parts: SqlParts) {
  const { engine } = parts;
  return {
    canVerifyAudit: () => engine.read(canVerifyLastRow(parts)),
    auditHead: () => engine.read(head(parts)),
    containsHead: (kept) => engine.read(contains(parts, kept)),
    knowsHead: (kept) => engine.read(knows(parts, kept)),
    isBehind: async () => (await engine.read(lastMark(parts)))?.action === 'store.behind',
    cutAudit: (cut) => cutFront(parts, cut),
    readAudit: async (query) => {
      const found = await engine.read(rows(parts, query));
      return found.map((row) => auditFromRow(row));
    },
    verifyAudit: (pause) => verify(parts, pause),
  } satisfies Partial<OperatorStore>;
}

function rows({ sql }: SqlParts, { after, limit, attemptId }: AuditQuery): Read<readonly SqlRow[]> {
  return attemptId === undefined
    ? all(sql.selectAudit, { after, limit })
    : all(sql.selectAuditOfAttempt, { after, limit, attempt_id: attemptId });
}

/** The row with this number, or the next one. */
function* rowFrom({ sql }: SqlParts, sequence: number): Read<SqlRow | null> {
  const [row] = yield* all(sql.selectAudit, { after: sequence - 1, limit: 1 });
  return row ?? null;
}

function* end({ sql }: SqlParts) {
  return auditEndFromRow(yield* one(sql.selectAuditEnd, {}));
}

function* anchor({ sql, auditKeys }: SqlParts): Read<StoredAnchor | null> {
  return auditAnchorFromRow(yield* one(sql.selectAuditAnchor, {}), auditKeys);
}

/** The head as stored, without verification. */
function* head(parts: SqlParts): Read<AuditHead> {
  const { head: stored } = yield* end(parts);
  const hash = stored === null ? null : parseDigest(stored.hash);
  if (stored === null || hash === null) throw new Error('the head of the audit log is lost');
  return { count: stored.count, hash };
}

/** Whether one of the keys proves the last row, or there is none. */
export function* canVerifyLastRow(parts: SqlParts): Read<boolean> {
  const count = (yield* end(parts)).head?.count ?? 0;
  const last = yield* rowFrom(parts, count);
  if (last === null) return true;
  const { values, hash } = auditLinkFromRow(last);
  return parts.auditKeys.some((key) => auditHash(key, values) === hash);
}

/** Whether the log has this row unchanged, or the service removed the row because of its age. */
function* contains(parts: SqlParts, { count, hash }: AuditHead): Read<boolean> {
  const front = yield* anchor(parts);
  const isCut = front?.isProven === true;
  if (isCut && count < front.count) return true;
  if (isCut && count === front.count) return hash === front.hash;
  const row = yield* rowFrom(parts, count);
  return row?.['sequence'] === count && row['hash'] === hash;
}

function* knows(parts: SqlParts, kept: KeptHead): Read<boolean> {
  const mark = yield* lastMark(parts);
  if (mark?.action === 'store.behind') return false;
  return (yield* contains(parts, kept)) || (mark !== null && mark.at > kept.at);
}

/** The last row about the whole store; null for one that no key proves. */
function* lastMark({ sql, auditKeys }: SqlParts): Read<AuditRow | null> {
  const row = yield* one(sql.selectStoreMark, {});
  if (row === null) return null;
  const { values, hash } = auditLinkFromRow(row);
  return auditKeys.some((key) => auditHash(key, values) === hash) ? auditFromRow(row) : null;
}

/** The proof is made here, because only the program has the key. */
async function cutFront(parts: SqlParts, { before, limit, at }: AuditCut): Promise<number> {
  const { engine, sql, auditKeys } = parts;
  const row = await engine.read(one(sql.selectNextAnchor, { before, limit }));
  if (row === null) return 0;
  const { sequence: count, hash: text } = auditLinkFromRow(row);
  const hash = parseDigest(text);
  if (hash === null) throw new Error('a row of the audit log has no valid hash');
  const next = { count, hash, at: before };
  return engine.run(cutAudit(parts, next, anchorProof(auditKeys[0] ?? NO_KEY, next), at));
}

const NO_KEY = new Uint8Array();

/**
 * Reads page by page, so that other requests are answered meanwhile. Rows that are written meanwhile
 * are left out.
 */
async function verify(
  parts: SqlParts,
  pause: () => Promise<void> = async () => undefined,
): Promise<AuditVerdict> {
  const { engine, sql } = parts;
  const front = await engine.read(anchor(parts));
  if (front === null) return { ok: false, sequence: 0, fault: 'anchor_changed' };
  const chain = new AuditChain(parts.auditKeys, front, front.isProven);
  const last = await engine.read(end(parts));
  const count = last.head?.count ?? 0;
  for (let after = front.count; after < count; after += PAGE) {
    const page = { after, limit: Math.min(PAGE, count - after) };
    const found = await engine.read(all(sql.selectAudit, page));
    const broken = firstBroken(chain, found);
    if (broken !== null) {
      // The service may have removed rows meanwhile; then the verification starts again.
      const now = await engine.read(anchor(parts));
      return now?.count === front.count ? broken : verify(parts, pause);
    }
    await pause();
  }
  const verdict = chain.verdict(last);
  if (!verdict.ok) return verdict;
  return (await engine.read(unlogged(parts, front, verdict.givenUp ?? 0))) ?? verdict;
}

function firstBroken(chain: AuditChain, found: readonly SqlRow[]): AuditVerdict | null {
  for (const row of found) {
    const broken = chain.add(auditLinkFromRow(row));
    if (broken !== null) return broken;
  }
  return null;
}

/** What no key proves says neither since when facts have rows, nor how a fact came about. */
function* unlogged(
  parts: SqlParts,
  front: AuditAnchor,
  givenUp: number,
): Read<AuditVerdict | null> {
  const first = givenUp === 0 ? null : yield* rowFrom(parts, givenUp + 1);
  const begin = first === null ? front.at : auditFromRow(first).at;
  const at = givenUp + front.count === 0 ? 0 : begin;
  const row = yield* one(parts.sql.selectUnlogged, { at, after: givenUp });
  return row === null ? null : { ok: false, fault: 'unlogged', unlogged: unloggedFromRow(row) };
}
