/** What reports of the provider's tokens disagree on, as named choices. */

/**
 * How the token of a sign-in by browser says what the person is called: `whole`, as `arabicName` and
 * `englishName` with their parts; `push`, in parts under the names that a push uses; `short`, as
 * `name_ar` and `name_en`.
 */
export type WebNames = 'whole' | 'push' | 'short';

/**
 * Where that token has the number: in a claim named after the document, in `nationalId`, or in `sub`
 * and `userid` alone.
 */
export type WebNumber = 'typed' | 'nationalId' | 'sub';

export interface ClaimForms {
  readonly webNames: WebNames;
  readonly webNumber: WebNumber;
}

/** What most reports agree on; every other profile differs from it in one point. */
export const REPORTED_FORMS: ClaimForms = { webNames: 'whole', webNumber: 'typed' };

/** By the name of the profile. */
export const CLAIM_PROFILES = {
  reported: REPORTED_FORMS,
  'web-push-names': { ...REPORTED_FORMS, webNames: 'push' },
  'web-short-names': { ...REPORTED_FORMS, webNames: 'short' },
  'web-national-id': { ...REPORTED_FORMS, webNumber: 'nationalId' },
  'web-subject': { ...REPORTED_FORMS, webNumber: 'sub' },
} as const satisfies Readonly<Record<string, ClaimForms>>;

export type ClaimProfileName = keyof typeof CLAIM_PROFILES;

export const CLAIM_PROFILE_NAMES = Object.keys(CLAIM_PROFILES) as readonly ClaimProfileName[];
