import type { TypedApp } from '../http/type-provider.ts';
import type { ControlOptions } from '../options.ts';
import { AttemptsAnswer, AttemptsQuery, attemptRow } from './attempts-wire.ts';
import { ControlError } from './errors.ts';
import { scopeOfCaller } from './scope.ts';

const TAKES = 'limit is 1 to 200, by default 50.';
const DEFAULT_LIMIT = 50;

/** GET /simulator/attempts: the sign-ins of the caller's scope, newest first. */
export function listAttempts(app: TypedApp, { attempts }: ControlOptions): void {
  const schema = {
    operationId: 'listAttempts',
    summary: 'The sign-ins of the scope, newest first',
    description: 'As they are stored: who asks for the status of one may see a later state.',
    querystring: AttemptsQuery,
    response: { 200: AttemptsAnswer },
  };
  const rowsOf = async (scope: string, limit: string | undefined) => {
    if (attempts === null) throw new ControlError('attempts.elsewhere');
    const listed = await attempts.list(scope, Number(limit ?? DEFAULT_LIMIT));
    return { data: listed.map(attemptRow) };
  };
  app.get('/attempts', { schema, config: { takes: TAKES } }, (request) =>
    rowsOf(scopeOfCaller(request), request.query.limit),
  );
}
