/** An error of Ajv, with the option `verbose`. */
interface Fault {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly parentSchema?: object | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Where a value may have one of several forms, only the errors of the form that it resembles most:
 * the one with the fewest errors, or the first of those with equally many.
 */
export function likeliestFaults<Of extends Fault>(found: readonly Of[]): readonly Of[] {
  const [union] = found
    .filter(({ keyword }) => keyword === 'anyOf')
    .toSorted((one, other) => one.schemaPath.length - other.schemaPath.length);
  if (union === undefined) return found;
  const forms = new Map<string, Of[]>();
  const others: Of[] = [];
  for (const fault of found) {
    const form = formOf(fault, union);
    if (form !== undefined) forms.set(form, [...(forms.get(form) ?? []), fault]);
    else if (fault !== union) others.push(fault);
  }
  const [likeliest = [union], ...rest] = [...forms.values()].map((form) => likeliestFaults(form));
  const best = rest.reduce((one, next) => (next.length < one.length ? next : one), likeliest);
  return [...best, ...likeliestFaults(others)];
}

/** The place of a form among those of a union; undefined for an error elsewhere. */
function formOf({ schemaPath, instancePath }: Fault, union: Fault): string | undefined {
  const isInside =
    instancePath === union.instancePath || instancePath.startsWith(`${union.instancePath}/`);
  const within = `${union.schemaPath}/`;
  return isInside && schemaPath.startsWith(within)
    ? schemaPath.slice(within.length).split('/', 1)[0]
    : undefined;
}

/**
 * The names of all members that a value at a place may have, in any form. Each error is looked at
 * once, since whoever sends a value can have tens of thousands of them made.
 */
export function membersIn(found: readonly Fault[]): (instancePath: string) => readonly string[] {
  const schemas = new Map<string, Set<object>>();
  for (const { instancePath, parentSchema } of found) {
    if (parentSchema === undefined) continue;
    const there = schemas.get(instancePath);
    if (there === undefined) schemas.set(instancePath, new Set([parentSchema]));
    else there.add(parentSchema);
  }
  return (instancePath) => [
    ...new Set([...(schemas.get(instancePath) ?? [])].flatMap(namesOfMembers)),
  ];
}

/**
 * The names of the members that are missing at a place: those of every form, and those of which a form
 * has one: `"operation", and one of "status", "answer"`.
 */
export function missingIn(found: readonly Fault[]): (instancePath: string) => string {
  const required = found.filter(({ keyword }) => keyword === 'required');
  const places = Map.groupBy(required, ({ instancePath }) => instancePath);
  return (instancePath) => {
    const there = places.get(instancePath) ?? [];
    const forms = new Set(there.map(({ schemaPath }) => schemaPath)).size;
    const byName = Map.groupBy(there, ({ params }) => JSON.stringify(params['missingProperty']));
    const names = [...byName.keys()];
    const every = names.filter((name) => byName.get(name)?.length === forms).join(', ');
    const some = names.filter((name) => byName.get(name)?.length !== forms).join(', ');
    return [every, some && `one of ${some}`].filter((text) => text !== '').join(', and ');
  };
}

/** The names of the members that a schema describes. */
export function namesOfMembers(schema: object | undefined): string[] {
  return schema !== undefined && 'properties' in schema ? Object.keys(schema.properties ?? {}) : [];
}
