import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

/** Looks at a request before its body is read. @throws Refusal when it is not to go on */
export type Check = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * A check as a hook of the framework. By a callback: a hook that returns a promise costs each
 * request three more turns of the microtask queue.
 */
export function hookOf(check: Check) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    check(request, reply);
    done();
  };
}
