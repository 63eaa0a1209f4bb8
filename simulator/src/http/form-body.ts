import type { FastifyInstance, FastifyRequest } from 'fastify';
import { limitFields } from './member-limit.ts';

/** A form contains a state and a token, both limited in length. */
const BODY_LIMIT_BYTES = 16 * 1024;

/** Accepts only forms, the only bodies that the pages send. A repeated field is refused. */
export function acceptOnlyForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    async (_request: FastifyRequest, body: string) =>
      fieldsOf(new URLSearchParams(limitFields(body))),
  );
}

/** A repeated field becomes a list, which no form's schema accepts. */
function fieldsOf(parameters: URLSearchParams): Readonly<Record<string, unknown>> {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}
