/** What an operator may do; each role may do what those before it may. */
export const ROLES = ['viewer', 'support', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function parseRole(text: string): Role | null {
  return ROLES.find((role) => role === text) ?? null;
}

export function mayActAs(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
