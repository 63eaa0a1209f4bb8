import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkOf } from '@miftah/schema/check';
import type { Ms } from '../engine/ports.ts';
import { openObject } from '@miftah/schema';
import type { Exchange } from '../journal/entry.ts';
import { keptHeaders } from '../journal/kept-headers.ts';
import { RequestId } from '../http/wire.ts';
import type { ProviderOptions } from '../options.ts';
import { promptOfCall, scopeOfCall } from './scope-of-call.ts';

interface Beginning {
  readonly at: Ms;
  readonly turn: number;
}

const named = checkOf(openObject({ requestId: RequestId }));

/**
 * Records the calls of area B with the attempts that they are about. A call that names none is not
 * recorded. It has to be added after those who change answers, so that it sees what is sent, and
 * before those who refuse calls.
 */
export function recordCalls(scope: FastifyInstance, options: ProviderOptions): void {
  const { journal, time } = options;
  const beginnings = new WeakMap<FastifyRequest, Beginning>();

  scope.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.operation === undefined) return done();
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
    const attempt = attemptOf(request, options);
    if (beginning === undefined || name === undefined || attempt === null) return;
    beginnings.delete(request);
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

function attemptOf(request: FastifyRequest, { engine }: ProviderOptions) {
  const { query, body } = request;
  const prompt = promptOfCall(body, engine);
  if (prompt !== null) return { id: prompt.requestId, scope: prompt.scope };
  return named.holds(query) ? { id: query.requestId, scope: scopeOfCall(request, engine) } : null;
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
    request: { headers: keptHeaders(headers), body },
    response:
      answer === null
        ? { headers: {}, body: null }
        : { headers: keptHeaders(reply.getHeaders()), body: answer.body },
  };
}
