import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from '@miftah/schema';
import { closingOf } from '../../http/closing.ts';
import type { TypedApp } from '../../http/type-provider.ts';
import type { ControlOptions } from '../../options.ts';
import type { AllPrompts, ShownPrompt } from '../all-prompts.ts';
import { ControlError } from '../errors.ts';
import { Places } from './places.ts';
import { scopeOfCaller } from '../scope.ts';
import { Waiters } from './waiters.ts';
import { promptRow, WaitAnswer, WaitQuery } from '../wire.ts';

const TAKES =
  'until is prompt, authenticated, rejected, expired or failed, of attempt_id; a prompt can also be ' +
  'of national_id, of any attempt, and of one kind: push or redirect. timeout is 0 to 30 seconds, ' +
  'by default 10.';

const REFUSES = ['attempt.not_found', 'attempts.elsewhere', 'wait.limit_reached'] as const;

const DEFAULT_SECONDS = 10;
const MOST_WAITERS = { all: 200, ofAddress: 100 } as const;
const RETRY_AFTER_SECONDS = 1;

type Wanted = Static<typeof WaitQuery>;
type Seen = Static<typeof WaitAnswer>['data'];

const NOTHING: Seen = { reached: false, status: null, prompt: null };

/** What a caller wants to know of a scope, of one attempt or of all. */
interface Question {
  readonly scope: string;
  readonly attemptId: string | null;
  readonly isOfPrompts: boolean;
}

const keyOf = (question: Question) => JSON.stringify(question);

/** The answer, from which each caller takes what it waits for. */
interface View {
  readonly prompts: readonly ShownPrompt[];
  /** Null where prompts were asked for, or there is no such attempt. */
  readonly status: string | null;
}

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
  const hold = placesOf(app, options);
  const waiters = new Waiters<Question, View>({ look, keyOf, ...options });
  const config = { takes: TAKES, refuses: REFUSES };
  app.get('/wait', { schema, config }, (request, reply) => {
    const { query } = request;
    requireOne(query, options);
    return hold(request, reply, async (signal) => ({
      data: await waitFor(query, scopeOfCaller(request), signal),
    }));
  });

  async function waitFor(query: Wanted, scope: string, signal: AbortSignal): Promise<Seen> {
    const isOfPrompts = query.until === 'prompt';
    const judge = isOfPrompts ? judgePrompts : judgeState;
    const question = { scope, attemptId: query.attempt_id ?? null, isOfPrompts };
    const ms = waitMsOf(query);
    const isOver = (view: View) => judge(view, query).isOver;
    return judge(await waiters.wait({ question, isOver, ms, signal }), query).seen;
  }

  async function look({ scope, attemptId, isOfPrompts }: Question): Promise<View> {
    if (isOfPrompts) {
      return { prompts: await prompts.waiting({ scope, requestId: attemptId }), status: null };
    }
    const status = (await options.attempts?.stateOf(attemptId ?? '', scope)) ?? null;
    return { prompts: [], status };
  }
}

interface Judged {
  readonly seen: Seen;
  /** Reached, or it can't be reached any more. */
  readonly isOver: boolean;
}

function judgePrompts({ prompts }: View, wanted: Wanted): Judged {
  const found = prompts.find((one) => isWanted(one, wanted));
  if (found === undefined) return { seen: NOTHING, isOver: false };
  return { seen: { ...NOTHING, reached: true, prompt: promptRow(found) }, isOver: true };
}

/** @throws ControlError for an unknown attempt */
function judgeState({ status }: View, { until }: Wanted): Judged {
  if (status === null) throw new ControlError('attempt.not_found');
  const reached = status === until || (until === 'authenticated' && status === 'redeemed');
  return { seen: { ...NOTHING, reached, status }, isOver: status !== 'pending' };
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

function isWanted(prompt: ShownPrompt, { kind, national_id: nationalId }: Wanted): boolean {
  if (kind !== undefined && prompt.kind !== kind) return false;
  return nationalId === undefined || (prompt.kind === 'push' && prompt.nationalId === nationalId);
}

/** How long a caller waits who says so in seconds, or says nothing. */
export const waitMsOf = ({ timeout = String(DEFAULT_SECONDS) }: { readonly timeout?: string }) =>
  Number(timeout) * 1000;

/**
 * The places of those who wait at one operation.
 * @returns waits in a place of the caller, until they have left or the service closes. It throws
 * ControlError `wait.limit_reached` where there is no place.
 */
export function placesOf(app: TypedApp, { addressOf }: Pick<ControlOptions, 'addressOf'>) {
  const closing = closingOf(app);
  const places = new Places(MOST_WAITERS);
  return async <Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    wait: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const address = addressOf(request);
    if (places.isFullFor(address)) {
      reply.header('Retry-After', RETRY_AFTER_SECONDS);
      throw new ControlError('wait.limit_reached');
    }
    places.take(address);
    try {
      return await wait(AbortSignal.any([closing, leavingOf(reply)]));
    } finally {
      places.leave(address);
    }
  };
}

/** Aborted when the caller has left. */
function leavingOf(reply: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  reply.raw.once('close', () => leaving.abort());
  return leaving.signal;
}
