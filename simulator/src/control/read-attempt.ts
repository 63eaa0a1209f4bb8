import type { FastifyRequest } from 'fastify';
import { isoTimestamp } from '../http/timestamp.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { ControlOptions } from '../options.ts';
import { AttemptParams } from './attempts-wire.ts';
import { ControlError } from './errors.ts';
import { fitted } from './fit-export.ts';
import { scopeOfCaller } from './scope.ts';
import type { TimeLines } from './time-lines.ts';
import { ExportAnswer, FORMAT, TimeLineAnswer, timeLineRow, VERSION } from './time-line-wire.ts';

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
