import { SerializerSelector, type SerializerFactory } from '@fastify/fast-json-stringify-compiler';

/**
 * The framework's own serializers, each built when it is first used. Built at the start they cost
 * a quarter of it, and most of them never write an answer: errors are written as text.
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
