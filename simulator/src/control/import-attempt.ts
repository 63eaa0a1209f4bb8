import { openObject } from '@miftah/schema';
import { IMPORT_LIMIT_BYTES } from '../http/json-body.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { ControlOptions } from '../options.ts';
import { AttemptRow, attemptRow } from './attempts-wire.ts';
import { ControlError } from './errors.ts';
import { hasRealDates, ImportBody, importedFrom } from './import-wire.ts';
import { scopeOfCaller } from './scope.ts';
import type { TimeLines } from './time-lines.ts';

const TAKES =
  'The body is a file of GET /simulator/attempts/{id}/export, as it was: format "miftah-attempt", ' +
  'version 1.';

const ImportAnswer = openObject({ data: AttemptRow });

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
  const options = { schema, bodyLimit: IMPORT_LIMIT_BYTES, config: { takes: TAKES, isFile: true } };
  app.post('/import', options, (request, reply) => {
    const scope = scopeOfCaller(request);
    if (!hasRealDates(request.body)) throw new ControlError('validation.failed');
    const isKnown = timeLines.isKnown(scope);
    const place = { id: `imported-${journal.turn()}`, scope, isKnown };
    const row = timeLines.add(importedFrom(request.body.data, place));
    reply.code(201);
    return { data: attemptRow(row) };
  });
}
