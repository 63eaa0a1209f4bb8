/** Values that a schema does not allow, made of the schema itself. */
import type { Schema } from '@miftah/schema';
import { checkOf } from '@miftah/schema/check';

const TOO_LONG = 'x'.repeat(3000);
const WRONG = [
  null,
  true,
  7,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  'x',
  '\u0000\u0007\u202e',
  TOO_LONG,
  [],
  [[]],
  {},
];

type Members = Readonly<Record<string, Schema>>;

/** Each kind of bad input in each place: other types, unknown members, missing ones, long texts. */
export function badValues(schema: Schema): readonly unknown[] {
  const check = checkOf(schema);
  return changedOf(schema).filter((value) => !check.holds(value));
}

function changedOf(schema: Schema): readonly unknown[] {
  return [...WRONG, ...variantsOf(schema).flatMap((one) => [...inObject(one), ...inList(one)])];
}

function inObject(schema: Schema): readonly unknown[] {
  const members = membersOf(schema);
  const sample = sampleOf(schema);
  if (members === null || typeof sample !== 'object' || sample === null) return [];
  const missing = Object.keys(sample).map((name) =>
    Object.fromEntries(Object.entries(sample).filter(([other]) => other !== name)),
  );
  const changed = Object.entries(members).flatMap(([name, member]) =>
    changedOf(member).map((value) => ({ ...sample, [name]: value })),
  );
  return [...missing, { ...sample, unknown_member: 1 }, ...changed];
}

function inList({ items }: Schema): readonly unknown[] {
  if (!isSchema(items)) return [];
  const many = Array.from({ length: 30 }, () => sampleOf(items));
  return [many, ...changedOf(items).map((value) => [value])];
}

function sampleOf(schema: Schema): unknown {
  const [first = schema] = variantsOf(schema);
  const { const: constant, enum: values, examples, minimum, type } = first;
  if (constant !== undefined) return constant;
  for (const known of [values, examples]) if (Array.isArray(known)) return known[0];
  if (type === 'integer' || type === 'number') return minimum ?? 0;
  if (type === 'array') return [];
  if (type === 'boolean') return true;
  const members = membersOf(first);
  return members === null ? 'x' : requiredOf(first, members);
}

function requiredOf({ required }: Schema, members: Members): Readonly<Record<string, unknown>> {
  const names = Array.isArray(required) ? required : [];
  const wanted = Object.entries(members).filter(([name]) => names.includes(name));
  return Object.fromEntries(wanted.map(([name, member]) => [name, sampleOf(member)]));
}

function variantsOf(schema: Schema): readonly Schema[] {
  const { anyOf } = schema;
  return Array.isArray(anyOf) ? anyOf.filter(isSchema).flatMap(variantsOf) : [schema];
}

function membersOf({ properties }: Schema): Members | null {
  if (!isSchema(properties)) return null;
  return Object.fromEntries(
    Object.entries(properties).filter(([, one]) => isSchema(one)),
  ) as Members;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
