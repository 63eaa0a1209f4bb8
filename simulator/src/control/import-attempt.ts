import type { FastifyReply, FastifyRequest } from 'fastify';
import { openObject } from '@miftah/schema';
import { IMPORT_LIMIT_BYTES } from '../http/json-body.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { ControlOptions } from '../options.ts';
import { AttemptRow, attemptRow } from './attempts-wire.ts';
import { ControlError } from './errors.ts';
import { faultsIn, ImportBody, importedFrom } from './import-wire.ts';
import { countValues, MOST_VALUES } from '../journal/weigh.ts';
import { scopeOfCaller } from './scope.ts';
import type { TimeLines } from './time-lines.ts';

const TAKES =
  'The body is a file of GET /simulator/attempts/{id}/export, as it was: format "miftah-attempt", ' +
  `version 1. It has at most ${MOST_VALUES} values.`;

const ImportAnswer = openObject(
  { data: AttemptRow },
  { description: 'The attempt of the file, under a name of its own.' },
);

/** POST /simulator/import: keeps the time line of a file, to be looked at. */
export function importAttempt(
  app: TypedApp,
  timeLines: TimeLines,
  { journal }: ControlOptions,
): void {
  const schema = {
    operationId: 'importAttempt',
    summary: 'Keep the time line of a file',
    body: ImportBody,
    response: { 201: ImportAnswer },
  };
  const config = { takes: TAKES, isFile: true };
  const limits = { bodyLimit: IMPORT_LIMIT_BYTES, preValidation: limitValues };
  const options = { schema, ...limits, config };
  app.post('/import', options, (request, reply) => {
    const scope = scopeOfCaller(request);
    refuse(faultsIn(request.body));
    const isKnown = timeLines.isKnown(scope);
    const place = { id: `imported-${journal.turn()}`, scope, isKnown };
    const row = timeLines.add(importedFrom(request.body.data, place));
    reply.code(201);
    return { data: attemptRow(row) };
  });
}

/** @throws ControlError that tells each fault */
function refuse(faults: readonly string[]): void {
  if (faults.length === 0) return;
  throw new ControlError('validation.failed', { faults });
}

/** Before anything else walks over them. @throws ControlError */
function limitValues({ body }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (countValues(body, MOST_VALUES) > MOST_VALUES) throw new ControlError('validation.failed');
  done();
}
