import { SerializerSelector, type SerializerFactory } from '@fastify/fast-json-stringify-compiler';

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
