import type { ClaimProfileName } from './engine/claims/claim-forms.ts';

/** The values of `PROFILE`, described by the claims of their web tokens. */
export const PROFILES: Readonly<Record<ClaimProfileName, string>> = {
  reported: 'the number by document, `arabicName` and `englishName` whole and in parts',
  'web-push-names': 'the names of a push token: `firstName`, `fatherName` and so on',
  'web-short-names': 'the names are `name_ar` and `name_en`',
  'web-national-id': 'the number is `nationalId`, whatever the document',
  'web-subject': 'the number is `sub` and `userid` alone',
};
