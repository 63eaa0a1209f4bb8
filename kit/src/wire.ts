/** JSON of the control API in the names and values of this package, and the way back. */

const TIMES = /^(?:now|.+_at)$/;

/** Members in camel case, and times as `Date`. Members that are not known here stay. */
export function fromWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromWire);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]): [string, unknown] => [
      camelCase(name),
      TIMES.test(name) && typeof member === 'string' ? new Date(member) : fromWire(member),
    ]),
  );
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The names of members in an error of the service, which has places first, and names in quotes. */
export function inOurNames(message: string): string {
  return message
    .replaceAll(/(?<=^|[\s;])\/([\w/]+)(?=: )/g, (_, path: string) =>
      camelCase(path.replaceAll(/\/(\d+)/g, '[$1]').replaceAll('/', '.')),
    )
    .replaceAll(/(?<!did you mean )"[a-z]+(?:_[a-z]+)+"/g, camelCase);
}

/** Members in snake case. Times are ISO 8601, and members without a value are left out. */
export function toWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWire);
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.map(([name, member]): [string, unknown] => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      toWire(member),
    ]),
  );
}

/** Whether it is an object with these members, which tell one answer from every other. */
export function has<Type extends object>(
  value: unknown,
  ...members: readonly (keyof Type & string)[]
): value is Type {
  if (typeof value !== 'object' || value === null) return false;
  return members.every((member) => member in value);
}
