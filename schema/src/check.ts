import { Ajv, type ErrorObject } from 'ajv';
import type { Schema } from './index.ts';

/** Validates without changing values. `format` only describes; `pattern` is checked. */
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  validateFormats: false,
  // The schemas are ours, and tests check them. Compiling the meta-schema is a tenth of a start.
  validateSchema: false,
});

export interface Check<Type> {
  holds(value: unknown): value is Type;
  /**
   * One sentence for each of the first 20 faults and one for how many more there are: the place in
   * the value and what is allowed there. Of the value itself only names of members are repeated.
   */
  faults(value: unknown): readonly string[];
}

/** A check of values, compiled at its first use. */
export function checkOf<Type>(schema: Schema<Type>): Check<Type> {
  let compiled: ReturnType<typeof ajv.compile> | null = null;
  const validate = () => (compiled ??= ajv.compile(schema));
  return {
    holds: (value): value is Type => validate()(value) === true,
    faults(value) {
      const check = validate();
      if (check(value)) return [];
      return sentencesOf(check.errors ?? []);
    },
  };
}

const SHOWN_FAULTS = 20;
const SHOWN_NAME = 40;
/** A place has names of the value in it, which can be as long as the value is. */
const SHOWN_PLACE = 200;

function sentencesOf(errors: readonly ErrorObject[]): readonly string[] {
  const sentences = errors.slice(0, SHOWN_FAULTS).map(sentenceOf);
  const more = errors.length - sentences.length;
  return more === 0 ? sentences : [...sentences, `and ${more} more`];
}

function sentenceOf({ instancePath, message = 'is not valid', params }: ErrorObject): string {
  const { allowedValue, allowedValues, additionalProperty } = params;
  const place = (instancePath || '/').slice(0, SHOWN_PLACE);
  if (Array.isArray(allowedValues)) return `${place}: must be one of ${allowedValues.join(', ')}`;
  if (allowedValue !== undefined) return `${place}: must be ${JSON.stringify(allowedValue)}`;
  if (typeof additionalProperty !== 'string') return `${place}: ${message}`;
  return `${place}: must not have ${JSON.stringify(additionalProperty.slice(0, SHOWN_NAME))}`;
}
