/** The push to the phone, and its signed result. */
import { assumed, at, disputed, documented, one, several, type Behaviour } from './behaviour.ts';

export const PHONE: readonly Behaviour[] = [
  ...at(
    'push',
    documented('the query parameter is spelled `local`'),
    several('without `local` the language is `ar`'),
    documented('somebody unknown is 422 `422-016-023`'),
    disputed(
      'an accepted push answers 200, by a setting 201, with `transId` (a UUID) and `random`',
      'two of each; take any 2xx',
    ),
    several('`random` has two digits'),
    several('`nationalId` is ten digits, the first one of 1 to 6 or 9'),
    several('`requestId` is any text of 1 to 128 characters', 'the limit is ours'),
    several('invalid data and unknown services are 422 `422-031-046`'),
    several('the known services are the eight names in use; a setting changes them, or takes any'),
    several('one waits for a person at a time: the next is 400 `400-034-050`'),
    several('that refusal says nothing of the request that waits', 'it has no member for it'),
    disputed(
      'the person has 60 s for `Login` and 180 s for other services; a setting changes it',
      'some have the longer time for all',
    ),
    assumed(
      'members and parameters that nobody knows are not looked at',
      'a provider adds some without a word',
    ),
    assumed('languages other than `ar` and `en` are invalid data', 'no other is seen'),
    assumed(
      '`X-Forwarded-For` is not looked at',
      'it is reported to be required, and not what happens without it',
    ),
  ),
  ...at(
    'status',
    several('the values are `WAITING`, `COMPLETED`, `REJECTED` and `EXPIRED`'),
    several('`COMPLETED` says nothing of who the person is'),
    several('unknown, or not this person or number: 400 `400-034-053`'),
    several('an expired transaction is 400 `400-034-051`'),
    several(
      'for the first 20 s after the time of the person it is `EXPIRED` instead',
      'a transaction is known for 200 s, and answered in 180',
    ),
  ),
  ...at(
    'callback',
    several('POST of JSON: `token`, `transId`, `requestId`'),
    several('it may come early, late, twice or not at all; reserved numbers rehearse each'),
    disputed(
      'nothing is sent when a push expires, but for `1900000044`',
      'two integrations expect a result `EXPIRED`',
    ),
    one('after 5xx and no answer it is sent again', 'that other answers are final is assumed'),
    assumed('again is after 1, 2, 4 and 8 s', 'a rehearsal should not take long'),
    assumed('comes 100 ms after the answer of the person', 'after the answer to the request'),
    assumed('follows no redirect, and waits 5 s for an answer', 'one address is registered'),
  ),
  ...at(
    'push token',
    several('`aud` is the URL of the relying party; the service is in `ServiceName` alone'),
    several('`jti` is the `requestId`, `nbf` is `iat`'),
    several('`status` and `transId` are in the token'),
    several('the names of a person’s claims differ by document'),
    several('dates are `DD-MM-YYYY`, `nationalityCode` is a text, `nationality` is `SAU`'),
    assumed('`nationality` is left out for other countries', 'no other letters are seen'),
    disputed('`sub` and `PersonId` hold the number too', '`PersonId` may be a number of JSON'),
    several('visitors have `firstName` to `lastName`, `birthgDate` and `birthhDate`'),
    several('the Hijri expiry of a citizen is `idExpiryDate`; residents have `iqamaVersionNumber`'),
    one('residents have `nationalityDesc` and `iqamaIssuePlaceCode`'),
    one('dates of documents, `isMinor`, social status and address are there'),
    one('the members of an address, several in both languages'),
    one('thin tokens: `sub`, `PersonId`, `nationalityCode`'),
    assumed('no token is thin unless a setting says so', 'no source says which are'),
    disputed(
      'the token of a rejection names nobody, but for `1900000014`',
      'some verifiers guard against one that does',
    ),
    assumed('`exp` is 150 s after `iat`', 'as in the token of a sign-in by browser'),
  ),
  ...at(
    'phone',
    assumed('a wrong number and "not me" reject the push at once', 'no second try is known'),
    assumed(
      'whoever ignores a push can still answer it before it expires',
      'it stays on the phone',
    ),
  ),
];
