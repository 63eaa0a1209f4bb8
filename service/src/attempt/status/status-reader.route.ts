import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as wire from '@miftah/contract';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { Refusal } from '../../errors/refusal.ts';
import { RATE_POLICIES } from '../../values/limits.ts';
import { readStatus, type AttemptStatus } from './read-status.flow.ts';
import { attemptTokenOf, callerKeyOf } from '../../request/caller/caller.ts';
import type { HttpContext } from '../../request/context.ts';
import { consume } from '../../request/caller/limit-rate.ts';
import { presentMaskedUser, presentStatus, presentUser } from '../../request/answer/present.ts';

/** The errors for a caller without the right token. */
const FAILURES: ReadonlySet<ErrorCode> = new Set(['attempt.token_missing', 'attempt.not_found']);

export type StatusRequest = FastifyRequest<{ Params: { attempt_id: string } }>;

/** Reads the status of an attempt for the holder of its token: once, or again and again. */
export interface StatusReader {
  /** Counts the request. @throws Refusal */
  first(request: StatusRequest, reply: FastifyReply): Promise<AttemptStatus>;
  /** For a caller who waits, without counting. @throws Refusal */
  again(request: StatusRequest): Promise<AttemptStatus>;
  present(status: AttemptStatus): wire.AttemptStatus;
}

export function statusReader(context: HttpContext): StatusReader {
  const { services, clock } = context;
  const isMasked = services.rules.statusShows === 'masked';
  const presentPerson = isMasked ? presentMaskedUser : presentUser;

  function read(request: StatusRequest, admit: () => Promise<void>) {
    const { attempt_id: attemptId } = request.params;
    const caller = { attemptId, attemptToken: attemptTokenOf(request) };
    return readStatus(services, caller, clock.now(), admit);
  }

  return {
    async first(request, reply) {
      const { attempt_id: attemptId } = request.params;
      const now = clock.now();
      const admit = () => consume(context, reply, RATE_POLICIES.status, attemptId, now);
      try {
        return await read(request, admit);
      } catch (error) {
        // Only failures are counted by address, so guessing can't use up the limit of a valid
        // token's holder.
        if (error instanceof Refusal && FAILURES.has(error.code)) {
          await consume(
            context,
            reply,
            RATE_POLICIES.statusFailures,
            callerKeyOf(context, request),
            now,
          );
        }
        throw error;
      }
    },
    again: async (request) => read(request, async () => undefined),
    present: (status) => presentStatus(status, presentPerson),
  };
}
