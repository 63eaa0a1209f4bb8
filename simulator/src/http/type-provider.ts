import type { FastifyInstance, FastifyTypeProvider, FastifySchemaCompiler } from 'fastify';
import type {
  FastifyBaseLogger,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Schema, Static } from '@miftah/schema';
import { checkOf } from '@miftah/schema/check';

/** Derives a handler's types from the schemas of its route. */
export interface SchemaTypes extends FastifyTypeProvider {
  readonly validator: this['schema'] extends Schema ? Static<this['schema']> : unknown;
  readonly serializer: this['schema'] extends Schema ? Static<this['schema']> : unknown;
}

export type TypedApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  SchemaTypes
>;

/**
 * Checks and changes nothing: no coercion, no defaults, no dropped members. It is set on our own
 * scope, so that it holds whatever validation the application around us has chosen. The error
 * carries no value of the request, because errors are logged.
 */
export const checkOnly: FastifySchemaCompiler<Schema> = ({ schema, httpPart }) => {
  const check = checkOf(schema);
  return (value: unknown) =>
    check.holds(value) ? { value } : { error: new Error(`invalid ${httpPart ?? 'request'}`) };
};
