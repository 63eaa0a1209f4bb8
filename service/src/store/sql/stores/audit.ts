import {
  AuditChain,
  type AuditLink,
  type AuditVerdict,
  broken,
  type Broken,
} from '../../../audit/audit-chain.ts';
import type { KeptHead } from '../../../audit/audit-head.ts';
import {
  anchorProof,
  type AuditAnchor,
  auditHash,
  type AuditHead,
  type AuditQuery,
  type AuditRow,
  type LastSuccesses,
  SUCCESS_OF,
  TASKS,
} from '../../../audit/audit.ts';
import { BrokenAudit } from '../../../audit/broken-audit.ts';
import { NO_KEY, parseDigest } from '../../../values/secret.ts';
import type { Ms } from '../../../values/time.ts';
import type { AuditCut, OperatorStore } from '../../ports/store.port.ts';
import {
  auditAnchorFromRow,
  auditEndFromRow,
  auditFromRow,
  auditLinkFromRow,
  contradictionFromRow,
  entryCounting,
  type StoredAnchor,
} from '../audit-rows.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import { all, type Command, guard, one, type Read, type SqlRow, step } from '../statement.ts';

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
    lastSuccesses: () => engine.read(lastSuccesses(parts)),
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
  return auditAnchorFromRow(yield* one(sql.selectAuditAnchor, {}), auditKeys());
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
  return isProved(auditLinkFromRow(last), parts.auditKeys());
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
  return isProved(auditLinkFromRow(row), auditKeys()) ? auditFromRow(row) : null;
}

/** Whoever can write the database, and has no key, can't say that all is well. */
function* lastSuccesses({ sql, auditKeys }: SqlParts): Read<LastSuccesses> {
  const found = yield* all(sql.selectLastOfTasks, {});
  const proved = found.filter((row) => isProved(auditLinkFromRow(row), auditKeys()));
  const rowsOfTasks = proved.map((row) => auditFromRow(row));
  const successes = TASKS.flatMap((task) => {
    const row = rowsOfTasks.find(({ action }) => action === SUCCESS_OF[task]);
    return row === undefined ? [] : [[task, row.at] as const];
  });
  return new Map(successes);
}

function isProved({ values, hash }: AuditLink, keys: readonly Uint8Array[]): boolean {
  return keys.some((key) => auditHash(key, values) === hash);
}

/**
 * Removes the rows up to the anchor, which is a row of the log, and keeps the proof that this
 * service removed them. Gives the number of removed rows.
 */
function cutAudit(
  { sql }: CommandParts,
  { count, hash, at: before }: AuditAnchor,
  proof: string,
  at: Ms,
): Command<number> {
  const removed = step(sql.deleteAuditFront, {});
  return {
    steps: [guard(sql.moveAuditAnchor, { sequence: count, hash, before, proof }), removed],
    audit: [entryCounting(removed, { at, action: 'audit.cut' })],
    touches: 'everything',
    decode: (results) => results.changes(removed),
  };
}

/**
 * The proof is made here, because only the program has the key. It says that nothing was wrong with
 * the removed rows, so they are verified first: whoever has changed one can't have it made good.
 */
async function cutFront(parts: SqlParts, cut: AuditCut): Promise<number> {
  const { engine, sql, auditKeys } = parts;
  const { before, limit, at } = cut;
  const front = await engine.read(anchor(parts));
  const found = await engine.read(one(sql.selectNextAnchor, { before, limit }));
  const last = Number(found?.['sequence'] ?? 0);
  if (front !== null && last <= front.count) return 0;
  const cuttable =
    front === null ? broken(0, 'anchor_changed') : await provedUpTo(parts, front, last);
  if ('fault' in cuttable) {
    // Another instance may have removed rows meanwhile.
    const isSame = (await engine.read(anchor(parts)))?.count === front?.count;
    if (isSame) throw new BrokenAudit(cuttable);
    return 0;
  }
  const next = { ...cuttable, at: before };
  return engine.run(cutAudit(parts, next, anchorProof(auditKeys()[0] ?? NO_KEY, next), at));
}

/**
 * The row with this number, if everything from the anchor to it is as it was written. The row after
 * it is read too, because it shows whether one without a proof was changed or has another key.
 */
async function provedUpTo(
  parts: SqlParts,
  front: StoredAnchor,
  last: number,
): Promise<AuditHead | Broken> {
  const chain = new AuditChain(parts.auditKeys(), front, front.isProven);
  const wrong = await addRows(parts, chain, { after: front.count, upTo: last });
  const { count, hash: text } = chain.end;
  const hash = parseDigest(text);
  const next = wrong ?? (await addRows(parts, chain, { after: last, upTo: last + 1 }));
  if (next !== null) return next;
  if (chain.end.count <= last) return broken(chain.end.count + 1, 'missing');
  if (hash === null) return broken(count, 'changed');
  const { unproven } = chain;
  const isWrong = unproven !== null && !(await parts.engine.read(isGivenUp(parts, last)));
  return isWrong ? unproven : { count, hash };
}

/** Whether a later row, which a key proves, says that nothing proves those up to this one. */
function* isGivenUp({ sql, auditKeys }: SqlParts, count: number): Read<boolean> {
  const row = yield* one(sql.selectGivingUp, {});
  if (row === null) return false;
  const link = auditLinkFromRow(row);
  return link.sequence > count && isProved(link, auditKeys());
}

/**
 * Reads page by page, so that other requests are answered meanwhile. Rows that are written meanwhile
 * are left out.
 */
async function verify(parts: SqlParts, pause?: () => Promise<void>): Promise<AuditVerdict> {
  const { engine } = parts;
  const front = await engine.read(anchor(parts));
  if (front === null) return broken(0, 'anchor_changed');
  const chain = new AuditChain(parts.auditKeys(), front, front.isProven);
  const last = await engine.read(end(parts));
  const count = last.head?.count ?? 0;
  const wrong = await addRows(parts, chain, { after: front.count, upTo: count, pause });
  if (wrong !== null) {
    // The service may have removed rows meanwhile; then the verification starts again.
    const now = await engine.read(anchor(parts));
    return now?.count === front.count ? wrong : verify(parts, pause);
  }
  const verdict = chain.verdict(last);
  if (!verdict.ok) return verdict;
  return (await engine.read(contradiction(parts, front, verdict.givenUp ?? 0))) ?? verdict;
}

interface Span {
  readonly after: number;
  readonly upTo: number;
  readonly pause?: (() => Promise<void>) | undefined;
}

/** Adds these rows to the chain, as far as they are there. Gives the first that is wrong. */
async function addRows(
  { engine, sql }: SqlParts,
  chain: AuditChain,
  { after, upTo, pause }: Span,
): Promise<Broken | null> {
  for (let from = after; from < upTo; from += PAGE) {
    const page = { after: from, limit: Math.min(PAGE, upTo - from) };
    for (const row of await engine.read(all(sql.selectAudit, page))) {
      const wrong = chain.add(auditLinkFromRow(row));
      if (wrong !== null) return wrong;
    }
    await pause?.();
  }
  return null;
}

/** What no key proves says neither since when facts have rows, nor how a fact came about. */
function* contradiction(
  parts: SqlParts,
  front: AuditAnchor,
  givenUp: number,
): Read<AuditVerdict | null> {
  const first = givenUp === 0 ? null : yield* rowFrom(parts, givenUp + 1);
  const begin = first === null ? front.at : auditFromRow(first).at;
  const at = givenUp + front.count === 0 ? 0 : begin;
  const row = yield* one(parts.sql.selectContradiction, { at, after: givenUp });
  return row === null ? null : contradictionFromRow(row);
}
