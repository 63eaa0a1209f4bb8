/**
 * JSON Schema (draft 2020-12) as plain objects with a static type. These few functions replace a
 * schema library: the common ones take a fifth of the service's idle memory, and give no more at
 * run time than these objects.
 */

declare const type: unique symbol;

export interface Schema<Type = unknown> {
  readonly [keyword: string]: unknown;
  readonly [type]?: Type;
}

/** The type of what a schema accepts. */
export type Static<Of extends Schema> = Of extends Schema<infer Type> ? Type : never;

interface Optional<Type> {
  readonly optional: Schema<Type>;
}

type Members = Readonly<Record<string, Schema | Optional<unknown>>>;

type RequiredName<Of extends Members> = {
  [Name in keyof Of]: Of[Name] extends Optional<unknown> ? never : Name;
}[keyof Of];

type TypeOf<Member> =
  Member extends Optional<infer Type> ? Type : Member extends Schema<infer Type> ? Type : never;

type ObjectOf<Of extends Members> = Flat<
  { [Name in RequiredName<Of>]: TypeOf<Of[Name]> } & {
    [Name in Exclude<keyof Of, RequiredName<Of>>]?: TypeOf<Of[Name]>;
  }
>;

/** One object type in the place of an intersection: what an editor shows can be read. */
type Flat<Of> = { [Name in keyof Of]: Of[Name] };

type Annotations = Readonly<Record<string, unknown>>;

export const string = (keywords: Annotations = {}): Schema<string> => ({
  type: 'string',
  ...keywords,
});
/**
 * A string that can be kept as text everywhere: valid Unicode without U+0000. Patterns are read with
 * the flag `u`, by which a surrogate matches only outside a pair.
 */
export const text = (keywords: Annotations = {}): Schema<string> =>
  string({ pattern: String.raw`^[^\0\ud800-\udfff]*$`, ...keywords });

/** The keyword that only the OpenAPI document reads; see `digits`. */
export const WHOLE_NUMBER = 'x-whole-number';

/**
 * A whole number in a query, whose members are all texts: `pattern` says which texts are one. The
 * OpenAPI document has a number in its place (`openapi.ts`).
 */
export const digits = (
  limits: NumberRange,
  keywords: Annotations & { readonly pattern: string },
): Schema<string> => string({ ...keywords, [WHOLE_NUMBER]: limits });

/** Both ends are allowed. */
export interface NumberRange {
  readonly minimum: number;
  readonly maximum: number;
}

export function isRange(value: unknown): value is NumberRange {
  if (typeof value !== 'object' || value === null) return false;
  return 'minimum' in value && 'maximum' in value;
}

/** The range of a schema that `digits` has made; null for others. */
export function wholeNumberRange(schema: object | undefined): NumberRange | null {
  const range: unknown = schema === undefined ? null : Reflect.get(schema, WHOLE_NUMBER);
  return isRange(range) ? range : null;
}

export const integer = (keywords: Annotations = {}): Schema<number> => ({
  type: 'integer',
  ...keywords,
});
export const boolean = (keywords: Annotations = {}): Schema<boolean> => ({
  type: 'boolean',
  ...keywords,
});
export const nothing = (keywords: Annotations = {}): Schema<null> => ({
  type: 'null',
  ...keywords,
});

export const list = <Type>(
  items: Schema<Type>,
  keywords: Annotations = {},
): Schema<readonly Type[]> => ({ type: 'array', items, ...keywords });

export const oneOf = <const Value extends string>(
  values: readonly Value[],
  keywords: Annotations = {},
): Schema<Value> => ({ type: 'string', enum: values, ...keywords });

export const textOrNull = (keywords: Annotations = {}): Schema<string | null> => ({
  type: ['string', 'null'],
  ...keywords,
});

/** Any member names, with values of one kind. */
export const record = <Type>(values: Schema<Type>): Schema<Readonly<Record<string, Type>>> => ({
  type: 'object',
  additionalProperties: values,
});

export const union = <Options extends readonly Schema[]>(
  ...anyOf: Options
): Schema<Static<Options[number]>> => ({ anyOf });

/** A schema that the application has registered under its `$id`. */
export const reference = <Type>(to: Schema<Type>): Schema<Type> => ({
  $ref: `${String(to['$id'])}#`,
});

export const optional = <Type>(schema: Schema<Type>): Optional<Type> => ({ optional: schema });

/** Closed: members that are not named here are refused. */
export function object<Of extends Members>(
  members: Of,
  annotations: Annotations = {},
): Schema<ObjectOf<Of>> {
  const entries = Object.entries(members);
  const required = entries.filter(([, member]) => !isOptional(member)).map(([name]) => name);
  const properties = entries.map(([name, member]) => [
    name,
    isOptional(member) ? member.optional : member,
  ]);
  return {
    type: 'object',
    required,
    properties: Object.fromEntries(properties) as unknown,
    additionalProperties: false,
    ...annotations,
  };
}

/** Members that are not named here are accepted and ignored. */
export function openObject<Of extends Members>(
  members: Of,
  annotations: Annotations = {},
): Schema<ObjectOf<Of>> {
  return object(members, { ...annotations, additionalProperties: true });
}

function isOptional(member: Schema | Optional<unknown>): member is Optional<unknown> {
  return 'optional' in member;
}
