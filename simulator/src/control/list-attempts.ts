import type { TypedApp } from '../http/type-provider.ts';
import type { ListedPart } from '../hosted.ts';
import { AttemptsAnswer, AttemptsQuery, attemptRow } from './attempts-wire.ts';
import { ControlError } from './errors.ts';
import { scopeOfCaller } from './scope.ts';
import type { TimeLines } from './time-lines.ts';

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
