/** What an operator may do; each role may do what those before it may. */
export const ROLES = ['viewer', 'support', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function parseRole(text: string): Role | null {
  return ROLES.find((role) => role === text) ?? null;
}

export function mayActAs(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Who has which role, by what the provider of the operators says of them. */
export interface OperatorRoles {
  /** By the `sub`. */
  readonly subjects: ReadonlyMap<string, Role>;
  /** The claim that has the groups of a person; null where groups count for nothing. */
  readonly claim: string | null;
  readonly groups: ReadonlyMap<string, Role>;
  /** Asked for beside `openid`. */
  readonly scopes: readonly string[];
}

/** The file of roles can't be used. The message is for the operator who writes it, and has no secret. */
export class OperatorRolesError extends Error {
  override readonly name = 'OperatorRolesError';
}

/** The highest role of a person, by their subject and their groups; null for none. */
export function roleIn(
  { subjects, groups }: OperatorRoles,
  subject: string,
  own: readonly string[],
): Role | null {
  const found = new Set([subjects.get(subject), ...own.map((group) => groups.get(group))]);
  return ROLES.findLast((role) => found.has(role)) ?? null;
}
