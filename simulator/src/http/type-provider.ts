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

/** A part of a request that is not what its route takes. */
export class InvalidRequest extends Error {
  readonly part: string;
  /** A sentence for each fault, without values of the request: errors are logged. */
  readonly faults: readonly string[];

  constructor(part: string, faults: readonly string[]) {
    super(`invalid ${part}`);
    this.name = 'InvalidRequest';
    this.part = part;
    this.faults = faults;
  }
}

/**
 * Validates without changing anything: no coercion, no defaults, no removed members. It is set on
 * the plugin's own scope, so it does not depend on the validation of the application around it.
 */
export const checkOnly: FastifySchemaCompiler<Schema> = ({ schema, httpPart }) => {
  const check = checkOf(schema);
  return (value: unknown) => {
    const faults = check.faults(value);
    if (faults.length === 0) return { value };
    return { error: new InvalidRequest(httpPart ?? 'request', faults) };
  };
};
