import type { FastifyReply, FastifyRequest } from 'fastify';
import { openObject, record, type Static } from '@miftah/schema';
import type { TypedApp } from '../../http/type-provider.ts';
import { seenStart, type SeenStart } from '../../journal/again.ts';
import type { ReplayResult } from '../../hosted.ts';
import type { ControlOptions } from '../../options.ts';
import { AttemptParams } from './attempts-wire.ts';
import { ControlError } from '../errors.ts';
import { scopeOfCaller } from '../scope.ts';
import type { TimeLines } from './time-lines.ts';
import { NoBody } from '../wire.ts';

const TAKES = 'The body is {}, or there is none.';
const REFUSES = [
  'attempt.not_found',
  'attempts.elsewhere',
  'replay.refused',
  'rate_limited',
] as const;
const UNSEEN = 'Its POST /start is not in the time line.';

const ReplayAnswer = openObject(
  { data: record({}) },
  { description: 'What the start has answered.' },
);

type Started = Static<typeof ReplayAnswer>['data'];
type Refused = Extract<ReplayResult, { readonly ok: false }>;

/** POST /simulator/attempts/{id}/replay: starts the same sign-in again, which then goes the same way. */
export function replayAttempt(
  app: TypedApp,
  timeLines: TimeLines,
  { attempts, addressOf }: ControlOptions,
): void {
  const schema = {
    operationId: 'replayAttempt',
    summary: 'Start the same sign-in again',
    description:
      'With the same application and person; what was decided is done after the same time.',
    params: AttemptParams,
    body: NoBody,
    response: { 201: ReplayAnswer },
  };
  app.post(
    '/attempts/:id/replay',
    { schema, config: { takes: TAKES, refuses: REFUSES } },
    (request, reply) => {
      return replay(request.params.id, request, reply).then((data) => ({ data }));
    },
  );

  async function replay(id: string, caller: FastifyRequest, reply: FastifyReply): Promise<Started> {
    const scope = scopeOfCaller(caller);
    const found = await timeLines.recorded(id, scope);
    if (found === null) throw new ControlError('attempt.not_found');
    if (attempts === null) throw new ControlError('attempts.elsewhere');
    const start = seenStart(found.entries);
    const source = found.source === 'own' ? { attemptId: id } : bodyOf(start);
    const choice = { scope, outcome: start?.simulate ?? null };
    const result = await attempts.replay(source, choice, addressOf(caller));
    reply.headers(result.headers);
    if (!result.ok) throw refusalOf(result);
    reply.code(201);
    return { ...result.started };
  }
}

/** @throws ControlError `replay.refused` */
function bodyOf(start: SeenStart | null) {
  if (start === null) throw new ControlError('replay.refused', { takes: UNSEEN });
  return { body: start.body };
}

function refusalOf({ reason }: Refused): ControlError {
  if (reason === 'rate_limited') return new ControlError(reason);
  const takes = `The service has refused the start: ${reason}.`;
  return new ControlError('replay.refused', { takes });
}
