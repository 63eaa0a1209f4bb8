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
  /** Whether that token states the gender. */
  readonly webGender: 'stated' | 'none';
  /** `thin`: the token of a push has a number and a nationality, and neither name nor service. */
  readonly push: 'whole' | 'thin';
  /** Whether `PersonId` in the token of a push is a text, or a number of JSON. */
  readonly pushPersonId: 'text' | 'number';
  /** Whether the names of a visitor are `firstName` to `lastName`, or the translated names alone. */
  readonly visitors: 'named' | 'translated';
}

/** The form on which most reports agree. Every other profile differs in one point. */
export const REPORTED_FORMS: ClaimForms = {
  webNames: 'whole',
  webNumber: 'typed',
  webGender: 'stated',
  push: 'whole',
  pushPersonId: 'text',
  visitors: 'named',
};

/** Each form by the name of its profile. */
export const CLAIM_PROFILES = {
  reported: REPORTED_FORMS,
  'web-push-names': { ...REPORTED_FORMS, webNames: 'push' },
  'web-short-names': { ...REPORTED_FORMS, webNames: 'short' },
  'web-national-id': { ...REPORTED_FORMS, webNumber: 'nationalId' },
  'web-subject': { ...REPORTED_FORMS, webNumber: 'sub' },
  'web-no-gender': { ...REPORTED_FORMS, webGender: 'none' },
  'push-thin': { ...REPORTED_FORMS, push: 'thin' },
  'push-number': { ...REPORTED_FORMS, pushPersonId: 'number' },
  'push-translated': { ...REPORTED_FORMS, visitors: 'translated' },
} as const satisfies Readonly<Record<string, ClaimForms>>;

export type ClaimProfileName = keyof typeof CLAIM_PROFILES;

export const CLAIM_PROFILE_NAMES = Object.keys(CLAIM_PROFILES) as readonly ClaimProfileName[];
