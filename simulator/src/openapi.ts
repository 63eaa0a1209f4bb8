import fastifySwagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';

const DOCUMENT_VERSION = '1.0.0';

/** The application around this plugin may already use the usual name of this decorator. */
const DECORATOR = 'simulatorOpenApi';

declare module 'fastify' {
  interface FastifyInstance {
    [DECORATOR](): object;
  }
}

/** Describes what programs call: area B and the control API. Pages are left out. */
export function describeSimulator(app: FastifyInstance, publicUrl: string): void {
  app.register(fastifySwagger, {
    decorator: DECORATOR,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Miftah provider simulator',
        version: DOCUMENT_VERSION,
        description: 'The calls of a national identity provider, and what a person would do.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl }],
    },
    transform: ({ schema, url }) => ({ schema: tagged(schema, url), url }),
  });
}

/** GET /simulator/openapi.json */
export function serveDescription(app: FastifyInstance): void {
  app.get('/openapi.json', { schema: { hide: true } }, () => app[DECORATOR]());
}

/**
 * The tag is added here, because a tag on the route would add the route to the application's
 * document.
 */
function tagged(schema: FastifySchema | undefined, url: string): FastifySchema {
  return { ...schema, tags: [url.startsWith('/simulator') ? 'Control API' : 'Provider'] };
}
