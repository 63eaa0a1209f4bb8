import type { FastifyRequest } from 'fastify';
import type { TypedApp } from '../../http/type-provider.ts';
import type { ListedPart } from '../../hosted.ts';
import { AttemptsAnswer, AttemptsQuery, attemptRow, AttemptParams } from './attempts-wire.ts';
import { ControlError } from '../errors.ts';
import { scopeOfCaller } from '../scope.ts';
import type { TimeLines, TimeLineFacts } from './time-lines.ts';
import { isoTimestamp } from '../../http/timestamp.ts';
import type { ControlOptions } from '../../options.ts';
import {
  ExportAnswer,
  FORMAT,
  TimeLineAnswer,
  timeLineRow,
  VERSION,
  entryRow,
} from './time-line-wire.ts';
import { IMPORT_LIMIT_BYTES } from '../../http/bodies.ts';
import type { Numbered } from '../../journal/journal.ts';
import { countValues, MOST_VALUES, withoutBodies } from '../../journal/weigh.ts';

const TAKES = 'limit is 1 to 200, by default 50. before is the id of an attempt.';
const DEFAULT_LIMIT = 50;

/** GET /simulator/attempts: the sign-ins of the caller's scope, newest first. */
export function listAttempts(app: TypedApp, timeLines: TimeLines): void {
  const schema = {
    operationId: 'listAttempts',
    summary: 'The sign-ins of the scope, newest first',
    description: 'As they are stored: who asks for the status of one may see a later state.',
    querystring: AttemptsQuery,
    response: { 200: AttemptsAnswer },
  };
  const rowsOf = async (scope: string, part: ListedPart) => {
    const listed = await timeLines.rows(scope, part);
    if (listed === null) throw new ControlError('attempt.not_found');
    return { data: listed.map(attemptRow) };
  };
  app.get(
    '/attempts',
    { schema, config: { takes: TAKES, refuses: ['attempt.not_found'] } },
    (request) => {
      const { limit, before = null } = request.query;
      return rowsOf(scopeOfCaller(request), { limit: Number(limit ?? DEFAULT_LIMIT), before });
    },
  );
}

const UNKNOWN = { refuses: ['attempt.not_found'] } as const;

/** GET /simulator/attempts/{id}: an attempt with what happened to it, without secrets. */
export function readAttempt(app: TypedApp, timeLines: TimeLines): void {
  const schema = {
    operationId: 'readAttempt',
    summary: 'One attempt and its time line',
    description: 'Secrets and identity numbers of real people are masked.',
    params: AttemptParams,
    response: { 200: TimeLineAnswer },
  };
  app.get('/attempts/:id', { schema, config: UNKNOWN }, (request) =>
    find(timeLines, request.params.id, request).then((found) => ({ data: timeLineRow(found) })),
  );
}

/** GET /simulator/attempts/{id}/export: the same as a file, which POST /simulator/import takes. */
export function exportAttempt(app: TypedApp, timeLines: TimeLines, { time }: ControlOptions): void {
  const schema = {
    operationId: 'exportAttempt',
    summary: 'One attempt and its time line, as a file',
    description:
      'At most as large as POST /simulator/import takes: of a larger time line the longest entries ' +
      'are without their bodies.',
    params: AttemptParams,
    response: { 200: ExportAnswer },
  };
  app.get('/attempts/:id/export', { schema, config: UNKNOWN }, (request, reply) => {
    const { id } = request.params;
    const file = { format: FORMAT, version: VERSION, exported_at: isoTimestamp(time.now()) };
    return find(timeLines, id, request).then((found) => {
      reply.header('Content-Disposition', `attachment; filename="${fileName(id)}"`);
      return { ...file, data: timeLineRow(fitted(found)) };
    });
  });
}

/** @throws ControlError `attempt.not_found`, also for an attempt of another scope */
async function find(timeLines: TimeLines, id: string, request: FastifyRequest) {
  const found = await timeLines.find(id, scopeOfCaller(request));
  if (found === null) throw new ControlError('attempt.not_found');
  return found;
}

/** The id was chosen by a caller: only what every system can have in a name is kept. */
function fileName(id: string): string {
  return `miftah-attempt-${id.replaceAll(/[^A-Za-z0-9-]/g, '_')}.json`;
}

/** What the file has besides: its format, its version and when it was made. */
const ENVELOPE_BYTES = 256;

/**
 * The time line as a file can have it: where it is too large, the longest entries are without their
 * bodies, and if that is not enough, entries in the middle are left out.
 */
function fitted(facts: TimeLineFacts): TimeLineFacts {
  const room = IMPORT_LIMIT_BYTES - ENVELOPE_BYTES - bytesOf({ ...facts, entries: [] });
  const sized = facts.entries.map((kept) => ({ kept, bytes: bytesOfEntry(kept) }));
  let bytes = sized.reduce((sum, one) => sum + one.bytes, 0);
  for (const one of sized.toSorted((first, second) => second.bytes - first.bytes)) {
    if (bytes <= room) break;
    bytes -= one.bytes;
    one.kept = { ...one.kept, entry: withoutBodies(one.kept.entry) };
    one.bytes = bytesOfEntry(one.kept);
    bytes += one.bytes;
  }
  while (bytes > room) bytes -= sized.splice(Math.floor(sized.length / 2), 1)[0]?.bytes ?? bytes;
  const leftOut = facts.leftOut + facts.entries.length - sized.length;
  return { ...facts, entries: sized.map(({ kept }) => kept), leftOut };
}

/** With the comma after it. */
function bytesOfEntry(kept: Numbered): number {
  return sizeOf(entryRow(kept)) + 1;
}

function bytesOf(facts: TimeLineFacts): number {
  return sizeOf(timeLineRow(facts));
}

/** Of bytes and of values an import takes so many: short values count as longer ones. */
const BYTES_OF_VALUE = Math.ceil(IMPORT_LIMIT_BYTES / MOST_VALUES);

function sizeOf(row: object): number {
  const values = countValues(row, MOST_VALUES);
  return Math.max(Buffer.byteLength(JSON.stringify(row)), values * BYTES_OF_VALUE);
}
