import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDamaged, SLOW_ANSWER, type DamagedAnswer } from '../engine/outcomes/answer-faults.ts';
import type { AnswerFault } from '../engine/outcomes/effects.ts';
import type { Engine } from '../engine/engine.ts';
import { NO_FAULTS, type Operation } from '../engine/outcomes/faults.ts';
import { closingOf } from '../http/closing.ts';
import { cutConnection, replyRefusal, type RefusedAnswer } from '../http/faulty-answer.ts';
import type { ProviderOptions } from '../options.ts';
import { scopeOfCall } from './scope-of-call.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of the provider, for the faults that a test has set. */
    operation?: Operation;
  }
}

/** How the answers to some requests are lost on their way. */
const damaged = new WeakMap<FastifyRequest, DamagedAnswer['kind']>();

/** The request is carried out, and its answer is lost. */
export function damageAnswer(request: FastifyRequest, kind: DamagedAnswer['kind']): void {
  damaged.set(request, kind);
}

/**
 * Has the calls of area B meet the faults that are set (PUT /simulator/faults). A call that would be
 * refused anyway, for its credentials or its form, is not counted.
 */
export function meetFaults(scope: FastifyInstance, { engine, timer }: ProviderOptions): void {
  const closing = closingOf(scope);

  scope.addHook('preHandler', async (request, reply) => {
    const { operation } = request.routeOptions.config;
    if (operation === undefined) return;
    const { faults } = engine.scopes.of(scopeOfCall(request, engine));
    const { latencyMs, fault } = faults?.meet(operation) ?? NO_FAULTS;
    if (latencyMs > 0) await timer.sleep(latencyMs, closing);
    if (fault === null) return;
    if (isDamaged(fault)) damageAnswer(request, fault.kind);
    else await replyRefusal(reply, refusalOf(fault, engine));
  });

  scope.addHook('onSend', async (request, reply, payload) => {
    const kind = faultOf(request, reply);
    if (kind === 'timeout') await timer.sleep(SLOW_ANSWER.afterMs, closing);
    return kind === 'malformed' ? firstHalf(payload) : payload;
  });

  scope.addHook('onSend', (request, reply, payload, done) => {
    if (faultOf(request, reply) !== 'cut') return done();
    // Without `done` nothing more is sent.
    cutConnection(reply, firstHalf(payload));
  });
}

/** Only the answer to a successful call is damaged: a refusal is answered as it is. */
function faultOf(
  request: FastifyRequest,
  { statusCode }: FastifyReply,
): DamagedAnswer['kind'] | null {
  return statusCode >= 300 ? null : (damaged.get(request) ?? null);
}

function refusalOf(fault: Exclude<AnswerFault, DamagedAnswer>, engine: Engine): RefusedAnswer {
  return fault.kind === 'record' ? { kind: 'record', record: engine.record(fault.record) } : fault;
}

/** No valid JSON: each answer is an object, or a word. */
function firstHalf(payload: unknown): string {
  const text = String(payload);
  return text.slice(0, Math.floor(text.length / 2));
}
