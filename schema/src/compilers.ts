import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { SerializerSelector, type SerializerFactory } from '@fastify/fast-json-stringify-compiler';

/** What the framework calls with a part of a request, and asks for the errors after a `false`. */
export interface Validate {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null;
}

/**
 * Validators of requests, each compiled at its first use, and once for all applications with the
 * same schema. The framework would compile those of all routes, a twelfth of a start, for each
 * application. The schemas are whole: a `$ref` would not be found.
 */
export function lazyValidators(options: Options): (route: { schema: unknown }) => Validate {
  const compiled = new WeakMap<object, ValidateFunction>();
  let ajv: Ajv | null = null;
  const compile = (schema: object) => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    ajv ??= new Ajv(options);
    const made = ajv.compile(schema);
    // Ajv would keep the schemas of applications that are closed.
    ajv.removeSchema(schema);
    compiled.set(schema, made);
    return made;
  };
  return ({ schema }) => {
    if (typeof schema !== 'object' || schema === null) throw new TypeError('this is no schema');
    let validate: ValidateFunction | null = null;
    const check: Validate = (value) => {
      validate ??= compile(schema);
      const isValid = validate(value);
      check.errors = validate.errors ?? null;
      return isValid;
    };
    return check;
  };
}

type Serialize = ReturnType<ReturnType<SerializerFactory>>;

/**
 * Built before, by schema. A `$ref` names the same schema in every application, because each `$id` is
 * given once.
 */
const built = new WeakMap<object, Serialize>();

/**
 * The framework's own serializers, each built at its first use, and once for all answers with the
 * same schema. Building them all would take a quarter of the start, and most are never used, because
 * errors are sent as text.
 */
export function lazySerializers(): SerializerFactory {
  const buildFactory = SerializerSelector();
  return (externalSchemas, options) => {
    const build = buildFactory(externalSchemas, options);
    return (definition) => {
      const { schema } = definition;
      if (typeof schema !== 'object' || schema === null) return build(definition);
      let serialize: Serialize | null = null;
      return (value) => (serialize ??= once(schema, () => build(definition)))(value);
    };
  };
}

function once(schema: object, build: () => Serialize): Serialize {
  const known = built.get(schema);
  if (known !== undefined) return known;
  const made = build();
  built.set(schema, made);
  return made;
}
