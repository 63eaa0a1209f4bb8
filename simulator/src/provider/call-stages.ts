import type { FastifyInstance, FastifyRequest } from 'fastify';

/** `admitted`: with the right credentials. `read`: its query and body are what the operation takes. */
export type CallStage = 'admitted' | 'read';

const stages = new WeakMap<FastifyRequest, CallStage>();

/** How far a call has come; null for one that was refused for its credentials, or before. */
export function stageOfCall(request: FastifyRequest): CallStage | null {
  return stages.get(request) ?? null;
}

/**
 * Notes how far each call comes. It has to be added before the hooks that answer calls which are well
 * formed; the credentials are checked in an `onRequest` hook.
 */
export function noteStages(scope: FastifyInstance): void {
  scope.addHook('preParsing', (request, _reply, _payload, done) => {
    stages.set(request, 'admitted');
    done();
  });
  scope.addHook('preHandler', (request, _reply, done) => {
    stages.set(request, 'read');
    done();
  });
}
