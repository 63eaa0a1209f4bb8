import { SerializerSelector, type SerializerFactory } from '@fastify/fast-json-stringify-compiler';

/**
 * The framework's own serializers, each built at its first use. Building them all would take a
 * quarter of the start, and most are never used, because errors are sent as text.
 */
export function lazySerializers(): SerializerFactory {
  const buildFactory = SerializerSelector();
  return (externalSchemas, options) => {
    const build = buildFactory(externalSchemas, options);
    return (definition) => {
      let serialize: ReturnType<typeof build> | null = null;
      return (value) => (serialize ??= build(definition))(value);
    };
  };
}
