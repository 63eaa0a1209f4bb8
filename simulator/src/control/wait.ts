import type { FastifyReply } from 'fastify';
import type { Static } from '@miftah/schema';
import { closingOf } from '../http/closing.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { ControlOptions } from '../options.ts';
import type { AllPrompts } from './all-prompts.ts';
import { ControlError } from './errors.ts';
import { scopeOfCaller } from './scope.ts';
import { promptRow, WaitAnswer, WaitQuery } from './wire.ts';

const TAKES =
  'until is prompt, authenticated, rejected, expired or failed, of attempt_id; a prompt can also be ' +
  'of national_id, of any attempt, and of one kind: push or redirect. timeout is 0 to 30 seconds, ' +
  'by default 10.';

/** How often it is looked: there is one store, so a look costs little. */
const STEP_MS = 50;
const DEFAULT_SECONDS = 10;

type Wanted = Static<typeof WaitQuery>;
type Seen = Static<typeof WaitAnswer>['data'];

const NOTHING: Seen = { reached: false, status: null, prompt: null };

/**
 * GET /simulator/wait: answers when a prompt waits for a person, or an attempt is in a state; or
 * after the time, or when it can't come any more, with `reached: false`.
 */
export function waitUntil(app: TypedApp, prompts: AllPrompts, options: ControlOptions): void {
  const schema = {
    operationId: 'waitUntil',
    summary: 'Wait for a prompt, or for the end of an attempt',
    querystring: WaitQuery,
    response: { 200: WaitAnswer },
  };
  const closing = closingOf(app);
  app.get('/wait', { schema, config: { takes: TAKES } }, async (request, reply) => {
    const { query } = request;
    const scope = scopeOfCaller(request);
    requireOne(query, options);
    const signal = AbortSignal.any([closing, leavingOf(reply)]);
    const look = () =>
      query.until === 'prompt' ? findPrompt(query, scope) : readState(query, scope);
    return { data: await lookUntil(look, query, signal) };
  });

  async function lookUntil(look: () => Promise<Look>, { timeout }: Wanted, signal: AbortSignal) {
    const steps = (Number(timeout ?? DEFAULT_SECONDS) * 1000) / STEP_MS;
    for (let step = 0; ; step += 1) {
      const { seen, isOver } = await look();
      if (isOver || step >= steps || signal.aborted) return seen;
      await options.timer.sleep(STEP_MS, signal);
    }
  }

  async function findPrompt(wanted: Wanted, scope: string): Promise<Look> {
    const waiting = await prompts.waiting({ scope, requestId: wanted.attempt_id ?? null });
    const found = waiting.find((one) => isWanted(one, wanted));
    if (found === undefined) return { seen: NOTHING, isOver: false };
    return { seen: { ...NOTHING, reached: true, prompt: promptRow(found) }, isOver: true };
  }

  async function readState({ attempt_id = '', until }: Wanted, scope: string): Promise<Look> {
    const status = (await options.attempts?.stateOf(attempt_id, scope)) ?? null;
    if (status === null) throw new ControlError('attempt.not_found');
    const reached = status === until || (until === 'authenticated' && status === 'redeemed');
    return { seen: { ...NOTHING, reached, status }, isOver: status !== 'pending' };
  }
}

interface Look {
  readonly seen: Seen;
  /** Reached, or it can't be reached any more. */
  readonly isOver: boolean;
}

/** @throws ControlError */
function requireOne(wanted: Wanted, { attempts }: ControlOptions) {
  const { until, attempt_id, national_id, kind } = wanted;
  const isBoth = attempt_id !== undefined && national_id !== undefined;
  const isOfPrompt = national_id !== undefined || kind !== undefined;
  const isOne = until === 'prompt' ? !isBoth : attempt_id !== undefined && !isOfPrompt;
  if (!isOne) throw new ControlError('validation.failed');
  if (until !== 'prompt' && attempts === null) throw new ControlError('attempts.elsewhere');
}

function isWanted(
  prompt: Awaited<ReturnType<AllPrompts['waiting']>>[number],
  { kind, national_id: nationalId }: Wanted,
): boolean {
  if (kind !== undefined && prompt.kind !== kind) return false;
  return nationalId === undefined || (prompt.kind === 'push' && prompt.nationalId === nationalId);
}

/** Aborted when the caller has left. */
function leavingOf(reply: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  reply.raw.once('close', () => leaving.abort());
  return leaving.signal;
}
