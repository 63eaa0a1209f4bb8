/** The addresses of the operators' pages, below the origin of their listener. */
export const OPERATOR = '/operator';

export const OPERATOR_PLACES = {
  search: OPERATOR,
  attempts: `${OPERATOR}/attempts`,
  audit: `${OPERATOR}/audit`,
  clients: `${OPERATOR}/clients`,
  doctor: `${OPERATOR}/doctor`,
} as const;

export type OperatorPlace = keyof typeof OPERATOR_PLACES;

/** Where a sign-in at the provider of the operators begins, and where it comes back. */
export const OPERATOR_ENTRY = {
  signIn: `${OPERATOR}/sign-in`,
  back: `${OPERATOR}/return`,
} as const;

/** Where forms are posted to. */
export const OPERATOR_FORMS = {
  link: `${OPERATOR}/link`,
  find: `${OPERATOR}/find`,
  number: `${OPERATOR}/number`,
  signOut: `${OPERATOR}/sign-out`,
} as const;

export const attemptPlace = (attemptId: string): string =>
  `${OPERATOR_PLACES.attempts}/${encodeURIComponent(attemptId)}`;

/** @param userId an id, or the parameter of a route */
export const personPlace = (userId: number | ':user_id'): string => `${OPERATOR}/users/${userId}`;

/** What is done about a person, each by a form of its own. */
export const ACTS = ['disable', 'enable', 'revoke', 'export'] as const;
export type Act = (typeof ACTS)[number];

export const actPlace = (userId: number, act: Act): string => `${personPlace(userId)}/${act}`;
