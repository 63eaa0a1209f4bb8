import type { FastifyInstance, FastifyRequest } from 'fastify';
import { limitMembers } from './member-limit.ts';

/** Far more than any valid request needs; a larger body is a mistake or an attack. */
export const BODY_LIMIT_BYTES = 16 * 1024;

/** Of a time line that is imported. */
export const IMPORT_LIMIT_BYTES = 1024 * 1024;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes a file with lists as long as its schema allows; its route has a limit of its own. */
    isFile?: boolean;
  }
}

/**
 * Accepts JSON only, even if the application around this plugin accepts forms. A `__proto__` member
 * is refused, not dropped.
 */
export function acceptOnlyJson(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    (request: FastifyRequest, text: string, done) => {
      const { isFile = false } = request.routeOptions.config;
      void parse(request, text, isFile ? done : limited(done));
    },
  );
}

type Done = (error: Error | null, body?: unknown) => void;

function limited(done: Done): Done {
  return (error, body) => {
    try {
      limitMembers(body);
      done(error, body);
    } catch (tooMany) {
      done(tooMany instanceof Error ? tooMany : new Error('not counted'));
    }
  };
}
