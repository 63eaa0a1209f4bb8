import { lazySerializers } from '@miftah/schema/compilers';
import Fastify, { type FastifyInstance } from 'fastify';
import { simulator } from './app.ts';
import type { Random } from './engine/ports.ts';
import { createGuardedServer } from './http/guarded-server.ts';
import { stampAnswers } from './http/stamp.ts';
import { replyUnknownPath } from './http/unknown-path.ts';
import type { SimulatorOptions } from './options.ts';
import type { LogLevel } from './settings.ts';

export interface LogOptions {
  readonly level: LogLevel;
  /** Standard output by default. */
  readonly stream?: { write(line: string): void };
}

export interface ServerOptions extends SimulatorOptions {
  readonly random: Random;
  readonly log: LogOptions;
}

/** The simulator as a program of its own: its endpoints, and two addresses for health checks. */
export function buildServer({ random, log, ...options }: ServerOptions): FastifyInstance {
  const app = Fastify({
    logger: { ...log, serializers: logSerializers },
    genReqId: () => random.uuid(),
    serverFactory: createGuardedServer,
    schemaController: { compilersFactory: { buildSerializer: lazySerializers() } },
  });
  stampAnswers(app);
  app.get('/livez', () => ({ status: 'ok' }));
  // The engine keeps everything in memory, so a process that answers is ready.
  app.get('/readyz', () => ({ status: 'ok' }));
  answerAsGateway(app);
  app.register(simulator, options);
  return app;
}

/** Paths outside the prefixes are also answered by the provider's gateway, whatever the body is. */
function answerAsGateway(app: FastifyInstance): void {
  app.setNotFoundHandler((_request, reply) => replyUnknownPath(reply));
  app.setErrorHandler((error, request, reply) =>
    request.is404 ? replyUnknownPath(reply) : reply.send(error),
  );
}

/** Only method and path, because query, headers and body may contain secrets. */
const logSerializers = {
  req: ({ method, url }: { method: string; url: string }) => ({ method, path: url.split('?')[0] }),
};
