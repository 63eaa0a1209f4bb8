import { Ajv } from 'ajv';
import type { Schema } from './index.ts';

/** Looks and does not touch. Formats describe; patterns hold. */
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });

export interface Check<Type> {
  holds(value: unknown): value is Type;
  /** What is wrong with the value, a sentence each with where it is; never the value itself. */
  faults(value: unknown): readonly string[];
}

/** A check of values, compiled when it is first used. */
export function checkOf<Type>(schema: Schema<Type>): Check<Type> {
  let compiled: ReturnType<typeof ajv.compile> | null = null;
  const validate = () => (compiled ??= ajv.compile(schema));
  return {
    holds: (value): value is Type => validate()(value) === true,
    faults(value) {
      const check = validate();
      if (check(value)) return [];
      return (check.errors ?? []).map(
        ({ instancePath, message }) => `${instancePath || '/'}: ${message ?? 'is not valid'}`,
      );
    },
  };
}
