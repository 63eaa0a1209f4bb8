import type { FastifyInstance, FastifyTypeProvider, FastifySchemaCompiler } from 'fastify';
import type {
  FastifyBaseLogger,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Schema, Static } from '@miftah/schema';
import { checkOf } from '@miftah/schema/check';

/** Derives a handler's types from its route's schemas. */
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
 * Validates without changing anything: no coercion, no defaults, no removed members. It is set on
 * the plugin's own scope, so it does not depend on the validation of the application around it. The
 * error contains no value of the request, because errors are logged.
 */
export const checkOnly: FastifySchemaCompiler<Schema> = ({ schema, httpPart }) => {
  const check = checkOf(schema);
  return (value: unknown) =>
    check.holds(value) ? { value } : { error: new Error(`invalid ${httpPart ?? 'request'}`) };
};
