import type { ClaimProfileName } from './engine/claims/claim-forms.ts';
import { assumed, disputed, one, several, type Known } from './fidelity/behaviour.ts';

/** The values of `PROFILE`: what is different in the tokens, and how sure it is. */
export const PROFILES: Readonly<Record<ClaimProfileName, Known>> = {
  reported: disputed(
    'web: the number by document, `arabicName` and `englishName` whole and in parts',
    'on each point this is what most have',
  ),
  'web-push-names': one('web: the names of a push token: `firstName`, `fatherName` and so on'),
  'web-short-names': one('web: the names are `name_ar` and `name_en`'),
  'web-national-id': one('web: the number is `nationalId`, whatever the document'),
  'web-number': assumed('web: the number by document is a number of JSON', 'as `PersonId` is'),
  'web-subject': one('web: the number is `sub` and `userid` alone'),
  'web-no-gender': several('web: there is no `gender`'),
  'push-thin': one(
    'push: `sub`, `PersonId` and `nationalityCode`, without names and `ServiceName`',
  ),
  'push-thin-number': several('push: as `push-thin`, and `PersonId` is a number of JSON'),
  'push-number': several('push: `PersonId` is a number of JSON'),
  'push-numbers': assumed(
    'push: the number by document is a number of JSON too',
    'as `PersonId` is',
  ),
  'push-translated': one('push: visitors have `translatedFirstName` and so on, in Arabic'),
};
