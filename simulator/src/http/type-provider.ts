import type { FastifyInstance, FastifyTypeProvider, FastifySchemaCompiler } from 'fastify';
import type {
  FastifyBaseLogger,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** Derives a handler's types from the schemas of its route. */
export interface TypeBoxProvider extends FastifyTypeProvider {
  readonly validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
  readonly serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
}

export type TypedApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxProvider
>;

/**
 * Checks and changes nothing: no coercion, no defaults, no dropped members. It is set on our own
 * scope, so that it holds whatever validation the application around us has chosen. The error
 * carries no value of the request, because errors are logged.
 */
export const checkOnly: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const check = Compile(schema);
  return (value: unknown) =>
    check.Check(value) ? { value } : { error: new Error(`invalid ${httpPart ?? 'request'}`) };
};
