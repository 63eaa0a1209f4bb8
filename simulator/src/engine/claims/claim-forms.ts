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

/** How JSON has a number of ten digits. */
export type NumberForm = 'text' | 'number';

export interface ClaimForms {
  readonly webNames: WebNames;
  readonly webNumber: WebNumber;
  /** Its form there; `sub` and `userid` are texts in any case. */
  readonly webNumberForm: NumberForm;
  /** Whether that token states the gender. */
  readonly webGender: 'stated' | 'none';
  /** `thin`: the token of a push has a number and a nationality, and neither name nor service. */
  readonly push: 'whole' | 'thin';
  /** The form of `PersonId` in the token of a push, and of the claim named after the document. */
  readonly pushPersonId: NumberForm;
  readonly pushNumber: NumberForm;
  /** Whether the names of a visitor are `firstName` to `lastName`, or the translated names alone. */
  readonly visitors: 'named' | 'translated';
}

/** The form on which most reports agree. Every other profile differs in what its name says. */
export const REPORTED_FORMS: ClaimForms = {
  webNames: 'whole',
  webNumber: 'typed',
  webNumberForm: 'text',
  webGender: 'stated',
  push: 'whole',
  pushPersonId: 'text',
  pushNumber: 'text',
  visitors: 'named',
};

/** Each form by the name of its profile. */
export const CLAIM_PROFILES = {
  reported: REPORTED_FORMS,
  'web-push-names': { ...REPORTED_FORMS, webNames: 'push' },
  'web-short-names': { ...REPORTED_FORMS, webNames: 'short' },
  'web-national-id': { ...REPORTED_FORMS, webNumber: 'nationalId' },
  'web-number': { ...REPORTED_FORMS, webNumberForm: 'number' },
  'web-subject': { ...REPORTED_FORMS, webNumber: 'sub' },
  'web-no-gender': { ...REPORTED_FORMS, webGender: 'none' },
  'push-thin': { ...REPORTED_FORMS, push: 'thin' },
  'push-thin-number': { ...REPORTED_FORMS, push: 'thin', pushPersonId: 'number' },
  'push-number': { ...REPORTED_FORMS, pushPersonId: 'number' },
  'push-numbers': { ...REPORTED_FORMS, pushPersonId: 'number', pushNumber: 'number' },
  'push-translated': { ...REPORTED_FORMS, visitors: 'translated' },
} as const satisfies Readonly<Record<string, ClaimForms>>;

export type ClaimProfileName = keyof typeof CLAIM_PROFILES;

export const CLAIM_PROFILE_NAMES = Object.keys(CLAIM_PROFILES) as readonly ClaimProfileName[];
