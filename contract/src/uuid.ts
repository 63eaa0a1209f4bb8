/** Ids as callers write them. This file imports nothing, so that importing it costs nothing. */

/** The canonical form of RFC 9562: lower case, with hyphens. A source of a regular expression. */
export const UUID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

const UUID = new RegExp(UUID_PATTERN);

/** The canonical form of a UUID in either case (RFC 9562 section 4); null for every other text. */
export function canonicalUuid(text: string): string | null {
  const lower = text.toLowerCase();
  return UUID.test(lower) ? lower : null;
}

/** What an id is kept and compared by: a UUID in its canonical form, other text as it is. */
export function plainId(text: string): string {
  const lower = text.toLowerCase();
  // Nearly all are written in lower case, and need no look at their form.
  return lower !== text && UUID.test(lower) ? lower : text;
}

/** Puts those members of a request that are ids in their canonical form. */
export function readIds(members: unknown, names: readonly string[]): void {
  if (typeof members !== 'object' || members === null) return;
  for (const name of names) {
    if (!Object.hasOwn(members, name)) continue;
    const value: unknown = Reflect.get(members, name);
    if (typeof value === 'string') Reflect.set(members, name, plainId(value));
  }
}
