import { Ajv, type ErrorObject } from 'ajv';
import { isRange, wholeNumberRange, type NumberRange, type Schema } from './index.ts';
import { likeliestFaults, membersIn, missingIn } from './likeliest-faults.ts';
import { meant } from './nearest.ts';

/** Validates without changing values. `format` only describes; `pattern` is checked. */
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  // Errors then contain the schema, whose members are told where a name is nearly one of them.
  verbose: true,
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
      const errors = check.errors ?? [];
      return sentencesOf(inOrder(likeliestFaults(errors).filter(isTelling)), errors);
    },
  };
}

const SHOWN_FAULTS = 20;
const SHOWN_NAME = 40;
/** A place has names of the value in it, which can be as long as the value is. */
const SHOWN_PLACE = 200;

/** The values that are allowed say the type too. */
function isTelling({ keyword, parentSchema }: ErrorObject): boolean {
  return keyword !== 'type' || parentSchema?.['enum'] === undefined;
}

/** What may be misspelt before what is missing, of which each place has one error. */
function inOrder(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const of = (keyword: string) => errors.filter((error) => error.keyword === keyword);
  const [unknown, required] = [of('additionalProperties'), of('required')];
  const missing = new Map(required.map((error) => [error.instancePath, error]));
  const known = new Set([...unknown, ...required]);
  return [...unknown, ...missing.values(), ...errors.filter((error) => !known.has(error))];
}

/** @param all errors, also those of forms that the value resembles less */
function sentencesOf(errors: readonly ErrorObject[], all: readonly ErrorObject[]) {
  const sentences = errors.slice(0, SHOWN_FAULTS).map(sentencesFor(all));
  const more = errors.length - sentences.length;
  return more === 0 ? sentences : [...sentences, `and ${more} more`];
}

function sentencesFor(all: readonly ErrorObject[]): (error: ErrorObject) => string {
  const [membersAt, missingAt] = [membersIn(all), missingIn(all)];
  return (error) => {
    const { instancePath, keyword, params } = error;
    const place = (instancePath || '/').slice(0, SHOWN_PLACE);
    if (keyword === 'required') return `${place}: must have ${missingAt(instancePath)}`;
    const name: unknown = params['additionalProperty'];
    if (typeof name !== 'string') return `${place}: ${ruleOf(error)}`;
    const shown = JSON.stringify(name.slice(0, SHOWN_NAME));
    return `${place}: must not have ${shown}${meant(name, membersAt(instancePath))}`;
  };
}

function ruleOf(error: ErrorObject): string {
  const { message = 'is not valid', params, parentSchema, keyword, data } = error;
  const { allowedValue, allowedValues } = params;
  if (Array.isArray(allowedValues)) {
    const near = typeof data === 'string' ? meant(data, allowedValues.map(String)) : '';
    return `must be one of ${allowedValues.join(', ')}${near}`;
  }
  if (allowedValue !== undefined) return `must be ${JSON.stringify(allowedValue)}`;
  const { examples, title }: Record<string, unknown> =
    keyword === 'pattern' ? { ...parentSchema } : {};
  if (Array.isArray(examples)) return `must be like ${examples.join(' or ')}`;
  const range = rangeOf(parentSchema, keyword);
  if (range === null) return typeof title === 'string' ? `must be ${title}` : message;
  const { minimum, maximum } = range;
  return minimum === maximum ? `must be ${minimum}` : `must be ${minimum} to ${maximum}`;
}

/** The range that a number is outside of; a number in a query is written as text (`digits`). */
function rangeOf(schema: ErrorObject['parentSchema'], keyword: string): NumberRange | null {
  if (keyword === 'pattern') return wholeNumberRange(schema);
  const isOutside = keyword === 'minimum' || keyword === 'maximum';
  return isOutside && isRange(schema) ? schema : null;
}
