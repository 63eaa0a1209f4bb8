import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkOf } from '@miftah/schema/check';
import type { Ms } from '../engine/ports.ts';
import { openObject } from '@miftah/schema';
import type { Operation } from '../engine/outcomes/faults.ts';
import { promptOfRequest } from '../engine/prompts/prompt-of-request.ts';
import { isFromForeignPage } from '../http/sending-page.ts';
import type { Exchange } from '../journal/entry.ts';
import { ANSWER_HEADERS, keptHeaders, REQUEST_HEADERS } from '../journal/kept-headers.ts';
import { RequestId } from '../http/wire.ts';
import type { ProviderOptions } from '../options.ts';
import { stageOfCall } from './call-stages.ts';
import { promptOfCall, scopeOfCall } from './scope-of-call.ts';

interface Beginning {
  readonly at: Ms;
  readonly turn: number;
}

const named = checkOf(openObject({ requestId: RequestId }));
/** A call of these, with the right credentials and well formed, begins a time line. */
const BEGINNINGS: ReadonlySet<Operation> = new Set(['session', 'mfa_request']);

/**
 * Records the calls of area B with the attempts that they are about. A call that names none is not
 * recorded, nor one with wrong credentials, nor one that a browser has sent for a page: anybody can
 * send these. A call that is not well formed is recorded with an attempt that is known already.
 *
 * It has to be added after those who change answers, so that it sees what is sent, and before those
 * who refuse calls.
 */
export function recordCalls(scope: FastifyInstance, options: ProviderOptions): void {
  const { journal, time } = options;
  const beginnings = new WeakMap<FastifyRequest, Beginning>();

  scope.addHook('onRequest', (request, reply, done) => {
    const isOurs = request.routeOptions.config.operation !== undefined;
    if (!isOurs || isFromForeignPage(request)) return done();
    beginnings.set(request, { at: time.now(), turn: journal.turn() });
    // An answer that was cut, or that nobody waited for, is never sent.
    reply.raw.once('close', () => record(request, reply, null));
    done();
  });

  scope.addHook('onSend', (request, reply, payload, done) => {
    record(request, reply, { status: reply.statusCode, body: payload });
    done(null, payload);
  });

  function record(request: FastifyRequest, reply: FastifyReply, answer: Answer | null): void {
    const beginning = beginnings.get(request);
    const { operation: name } = request.routeOptions.config;
    if (beginning === undefined || name === undefined) return;
    // Once for a request: an answer that was sent is closed later, too.
    beginnings.delete(request);
    const attempt = attemptOf(request, name, options);
    if (attempt === null) return;
    const { at, turn } = beginning;
    const exchange = exchangeOf(request, reply, answer);
    const entry = { at, side: 'area_b', name, exchange, act: null } as const;
    journal.record(attempt.id, attempt.scope, entry, turn);
  }
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Named {
  readonly id: string;
  readonly scope: string;
}

/** The attempt that a call is recorded with; null for none. */
function attemptOf(
  request: FastifyRequest,
  operation: Operation,
  options: ProviderOptions,
): Named | null {
  const stage = stageOfCall(request);
  if (stage === null) return null;
  const { query, body } = request;
  const { engine } = options;
  const prompt = promptOfCall(body, engine);
  if (prompt !== null) return { id: prompt.requestId, scope: prompt.scope };
  if (!named.holds(query)) return null;
  const attempt = { id: query.requestId, scope: scopeOfCall(request, engine) };
  const begins = stage === 'read' && BEGINNINGS.has(operation);
  return begins || isKnown(attempt, options) ? attempt : null;
}

function isKnown({ id, scope }: Named, { journal, engine }: ProviderOptions): boolean {
  return journal.countOf(id, scope) > 0 || promptOfRequest(engine, id, scope) !== null;
}

function exchangeOf(
  { method, url, headers, body = null }: FastifyRequest,
  reply: FastifyReply,
  answer: Answer | null,
): Exchange {
  return {
    method,
    path: url,
    status: answer?.status ?? null,
    durationMs: Math.round(reply.elapsedTime),
    request: { headers: keptHeaders(headers, REQUEST_HEADERS), body },
    response:
      answer === null
        ? { headers: {}, body: null }
        : { headers: keptHeaders(reply.getHeaders(), ANSWER_HEADERS), body: answer.body },
  };
}
