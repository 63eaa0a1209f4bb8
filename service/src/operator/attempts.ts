import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  OPERATOR_PLACES,
  operatorAttemptPage,
  operatorAttemptsPage,
  type ShownAttempt,
} from '@miftah/pages/operator';
import { attemptAt, type AttemptRecord } from '../attempt/attempt.ts';
import {
  callEntries,
  lineOfEntry,
  MOST_ROWS_OF_ATTEMPT,
  type CallEntry,
} from '../attempt/call-lines.ts';
import { DEFAULT_SCOPE } from '../attempt/scenario.ts';
import { parseTimeGiven, timeOf } from '../audit/filter.ts';
import { queryText } from '../request/answer/page-locale.ts';
import { sendPage } from '../request/answer/send-page.ts';
import { textMember } from '../request/body/text-member.ts';
import type { Store } from '../store/ports/store.port.ts';
import { firstIdAt, parseAttemptId, type AttemptId } from '../values/ids.ts';
import { isoTimestamp, type Ms } from '../values/time.ts';
import type { OperatorContext } from './operator-context.ts';
import type { GoesOn, Scans } from './scans.ts';
import { addVisit, OperatorRefusal, type Visit } from './visit.ts';

const SHOWN = 50;
/** How many attempts are looked at for one page, and how many are read at once. */
const MOST_READ = 1000;
const READ_AT_ONCE = 50;

export function addAttempts(app: FastifyInstance, context: OperatorContext, scans: Scans): void {
  addVisit(
    app,
    context,
    { method: 'GET', url: OPERATOR_PLACES.attempts, role: 'viewer' },
    async (visit) => showAttempts(context, scans, visit),
  );
  addVisit(
    app,
    context,
    { method: 'GET', url: `${OPERATOR_PLACES.attempts}/:attempt_id`, role: 'viewer' },
    async (visit) => showAttempt(context, visit),
  );
}

async function showAttempts(
  { store }: OperatorContext,
  scans: Scans,
  visit: Visit,
): Promise<FastifyReply> {
  const { request, reply, now, frame } = visit;
  const [client, until] = [queryText(request, 'client').trim(), queryText(request, 'until').trim()];
  const given = until === '' ? null : parseTimeGiven(until);
  const end = timeOf(given ?? undefined, now);
  const before =
    parseAttemptId(queryText(request, 'before')) ?? (end === null ? null : firstIdAt(end));
  const { found, last, isAll } = await scans.run(visit, (goesOn) =>
    newest(store, { client, before, goesOn }),
  );
  const page = {
    ...frame,
    client,
    until,
    isTimeWrong: until !== '' && given === null,
    attempts: found.map((attempt) => shown(attempt, now)),
    searchedTo: last === null ? null : isoTimestamp(last.createdAt),
    before: isAll ? null : (last?.attemptId ?? null),
  };
  return sendPage(reply, operatorAttemptsPage(page), 'self');
}

interface Wanted {
  /** Empty for all. */
  readonly client: string;
  readonly before: AttemptId | null;
  readonly goesOn: GoesOn;
}

/** The newest attempts of a client, or of all. The last one that was looked at need not be of them. */
async function newest(store: Store, { client, before, goesOn }: Wanted) {
  const found: AttemptRecord[] = [];
  let last: AttemptRecord | null = null;
  for (let read = 0; read < MOST_READ && (await goesOn()); read += READ_AT_ONCE) {
    const after: AttemptId | null = last?.attemptId ?? before;
    const rows = await store.newestAttempts(READ_AT_ONCE, DEFAULT_SCOPE, after);
    for (const row of rows) {
      if (found.length === SHOWN) return { found, last, isAll: false };
      if (client === '' || row.client === client) found.push(row);
      last = row;
    }
    if (rows.length < READ_AT_ONCE) return { found, last, isAll: true };
  }
  return { found, last, isAll: false };
}

/** Without the identifier that was asked for and the number to match. */
export function shown(record: AttemptRecord, now: Ms): ShownAttempt {
  const { attemptId, client, flow, createdAt } = record;
  const { state } = attemptAt(record, now);
  return { attemptId, client, flow, state, startedAt: isoTimestamp(createdAt) };
}

async function showAttempt(
  { store }: OperatorContext,
  { request, reply, now, frame }: Visit,
): Promise<FastifyReply> {
  const attemptId = parseAttemptId(textMember(request.params, 'attempt_id'));
  const found = attemptId === null ? null : await store.findAttempt(attemptId);
  if (attemptId === null || found === null) throw new OperatorRefusal('unknown');
  const { attempt } = found;
  const rows = await store.readAudit({ after: 0, limit: MOST_ROWS_OF_ATTEMPT, attemptId });
  const entries = callEntries(await store.listCalls(attemptId), rows);
  const page = {
    ...frame,
    attempt: {
      ...shown(attempt, now),
      expiresAt: isoTimestamp(attempt.expiresAt),
      authenticatedAt: timeText(attempt.authenticatedAt),
      redeemedAt: timeText(attempt.redeemedAt),
      endedAt: timeText(attempt.rejectedAt ?? attempt.failedAt),
      reason: attempt.endReason,
      userId: attempt.userId,
    },
    calls: entries.map((entry) => ({ line: lineOfEntry(entry), detail: detailOf(entry) })),
  };
  return sendPage(reply, operatorAttemptPage(page), 'self');
}

export const timeText = (at: Ms | null): string | null => (at === null ? null : isoTimestamp(at));

/** What `miftah calls --json` has beside the line. */
function detailOf(entry: CallEntry): string {
  if (!('operation' in entry)) return JSON.stringify({ detail: entry.detail }, null, 2);
  const { query, body, answer } = entry;
  return JSON.stringify({ query, body, answer }, null, 2);
}
