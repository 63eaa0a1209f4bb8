import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  AUDIT_FILTERS,
  OPERATOR_PLACES,
  operatorAuditPage,
  type AuditFilterName,
  type ShownAuditRow,
} from '@miftah/pages/operator';
import { parseUserId } from '../account/user.ts';
import { MOST_ROWS_OF_ATTEMPT } from '../attempt/call-lines.ts';
import type { AuditRow } from '../audit/audit.ts';
import { actionsNamed, filterOf, parseTimeGiven } from '../audit/filter.ts';
import { rowFacts } from '../audit/row-facts.ts';
import { queryText } from '../request/answer/page-locale.ts';
import { sendPage } from '../request/answer/send-page.ts';
import type { Store } from '../store/ports/store.port.ts';
import { parseAttemptId, type AttemptId } from '../values/ids.ts';
import { mayActAs } from '../values/operator-role.ts';
import { isoTimestamp, type Ms } from '../values/time.ts';
import type { OperatorContext } from './operator-context.ts';
import type { GoesOn, Scans } from './scans.ts';
import { addVisit, type Visit } from './visit.ts';

const SHOWN = 100;
/** How many rows are looked at for one page, and how many are read at once. */
const MOST_READ = 2000;
const READ_AT_ONCE = 100;

type Filters = Readonly<Record<AuditFilterName, string>>;

export function addAudit(app: FastifyInstance, context: OperatorContext, scans: Scans): void {
  addVisit(
    app,
    context,
    { method: 'GET', url: OPERATOR_PLACES.audit, role: 'viewer' },
    async (visit) => showAudit(context, scans, visit),
  );
}

async function showAudit(
  { store }: OperatorContext,
  scans: Scans,
  visit: Visit,
): Promise<FastifyReply> {
  const { request, reply, now, frame } = visit;
  const typed = (name: AuditFilterName) => queryText(request, name).trim();
  const filters = {
    action: typed('action'),
    client: typed('client'),
    user: typed('user'),
    attempt: typed('attempt'),
    actor: typed('actor'),
    since: typed('since'),
    until: typed('until'),
  };
  const { wrong, isWanted, attemptId } = readFilters(filters, now);
  const before = parseUserId(Number(queryText(request, 'before') || Number.NaN));
  const found =
    wrong === null
      ? await scans.run(visit, (goesOn) => rowsOf(store, { attemptId, before, isWanted, goesOn }))
      : { rows: [], read: null, before: null };
  const seesReasons = mayActAs(frame.role, 'support');
  const rows = found.rows.map((row) => shownRow(row, seesReasons));
  const page = { ...frame, filters, wrong, ...found, rows };
  return sendPage(reply, operatorAuditPage(page), 'self');
}

/** The filters of `miftah audit`; `wrong` names the first one that can't be read. */
function readFilters(filters: Filters, now: Ms) {
  const actions = filters.action.split(',').map((one) => actionsNamed(one.trim()));
  const user = parseUserId(Number(filters.user || Number.NaN));
  const [since, until] = [parseTimeGiven(filters.since), parseTimeGiven(filters.until)];
  const attemptId = parseAttemptId(filters.attempt);
  const isRead: Readonly<Record<AuditFilterName, boolean>> = {
    action: actions.every((named) => named.length > 0),
    client: true,
    user: user !== null,
    attempt: attemptId !== null,
    actor: true,
    since: since !== null,
    until: until !== null,
  };
  const wrong = AUDIT_FILTERS.find((name) => filters[name] !== '' && !isRead[name]) ?? null;
  const isWanted = filterOf(
    {
      ...(filters.action === '' ? {} : { action: actions.flat() }),
      ...(filters.client === '' ? {} : { client: filters.client }),
      ...(user === null ? {} : { user }),
      ...(filters.actor === '' ? {} : { actor: filters.actor }),
      ...(since === null ? {} : { since }),
      ...(until === null ? {} : { until }),
    },
    now,
  );
  return { wrong, isWanted, attemptId };
}

interface Wanted {
  readonly attemptId: AttemptId | null;
  /** The page ends before this row; null for the end of the log. */
  readonly before: number | null;
  readonly isWanted: (row: AuditRow) => boolean;
  readonly goesOn: GoesOn;
}

async function rowsOf(store: Store, wanted: Wanted) {
  const { attemptId, isWanted } = wanted;
  if (attemptId === null) return newestRows(store, wanted);
  const rows = await store.readAudit({ after: 0, limit: MOST_ROWS_OF_ATTEMPT, attemptId });
  return { rows: rows.toReversed().filter(isWanted), read: null, before: null };
}

/** The log is read backwards, in pieces: its rows are numbered without a gap. */
async function newestRows(store: Store, { before, isWanted, goesOn }: Wanted) {
  const rows: AuditRow[] = [];
  const { count } = await store.auditHead();
  const last = Math.min((before ?? Number.MAX_SAFE_INTEGER) - 1, count);
  let first = last + 1;
  while (first > 1 && rows.length < SHOWN && last - first < MOST_READ && (await goesOn())) {
    const after = Math.max(0, first - 1 - READ_AT_ONCE);
    const piece = await store.readAudit({ after, limit: first - 1 - after });
    // Nothing is there where the front of the log was cut off.
    if (piece.length === 0) return { rows, read: readOf(first, last), before: null };
    for (const row of piece.toReversed()) {
      if (rows.length === SHOWN) break;
      if (isWanted(row)) rows.push(row);
      first = row.sequence;
    }
  }
  return { rows, read: readOf(first, last), before: first > 1 ? first : null };
}

const readOf = (first: number, last: number) => (last < first ? null : { first, last });

/** The words of a reason may name a person. */
function shownRow(row: AuditRow, seesReasons: boolean): ShownAuditRow {
  const { sequence, at, action, attemptId, userId } = row;
  const reason = seesReasons ? row.reason : null;
  const rest = rowFacts({ ...row, attemptId: null, userId: null, reason });
  return { sequence, at: isoTimestamp(at), action, attemptId, userId, rest };
}
