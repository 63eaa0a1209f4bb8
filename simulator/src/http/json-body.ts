import type { FastifyInstance } from 'fastify';

/** No request of this interface comes near it; a larger body is a mistake or an attack. */
const BODY_LIMIT_BYTES = 16 * 1024;

/**
 * JSON is the only body there is, also where the application around us has taught its server to
 * read forms. A `__proto__` member is refused, not dropped.
 */
export function acceptOnlyJson(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    scope.getDefaultJsonParser('error', 'error'),
  );
}
