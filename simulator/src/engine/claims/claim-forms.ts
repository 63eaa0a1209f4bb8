/** Claims on which reports of the provider's tokens disagree; each form has a name. */

/**
 * The name claims in the token of a sign-in by browser. `whole`: `arabicName` and `englishName`,
 * with their parts. `push`: parts, with the claim names of a push. `short`: `name_ar` and
 * `name_en`.
 */
export type WebNames = 'whole' | 'push' | 'short';

/**
 * Where that token has the number: in a claim named after the document, in `nationalId`, or only in
 * `sub` and `userid`.
 */
export type WebNumber = 'typed' | 'nationalId' | 'sub';

export interface ClaimForms {
  readonly webNames: WebNames;
  readonly webNumber: WebNumber;
}

/** The form on which most reports agree. Every other profile differs in one point. */
export const REPORTED_FORMS: ClaimForms = { webNames: 'whole', webNumber: 'typed' };

/** Each form by the name of its profile. */
export const CLAIM_PROFILES = {
  reported: REPORTED_FORMS,
  'web-push-names': { ...REPORTED_FORMS, webNames: 'push' },
  'web-short-names': { ...REPORTED_FORMS, webNames: 'short' },
  'web-national-id': { ...REPORTED_FORMS, webNumber: 'nationalId' },
  'web-subject': { ...REPORTED_FORMS, webNumber: 'sub' },
} as const satisfies Readonly<Record<string, ClaimForms>>;

export type ClaimProfileName = keyof typeof CLAIM_PROFILES;

export const CLAIM_PROFILE_NAMES = Object.keys(CLAIM_PROFILES) as readonly ClaimProfileName[];
