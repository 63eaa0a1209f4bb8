/** The sign-in by browser. */
import { assumed, at, disputed, documented, one, several, type Behaviour } from './behaviour.ts';

export const WEB: readonly Behaviour[] = [
  ...at(
    'session',
    documented('answers `id` (null), `url`, `hashedState` and the echoed `requestId`'),
    documented('the address carries eleven parameters, with a new UUID as `nonce`'),
    documented('`max_age` is the moment of the call in Unix seconds'),
    several('without `locale` the language is `ar`'),
    several('`requestId` is any text of 1 to 128 characters', 'the limit is ours'),
    several('`state` is 344 characters of Base64 and stands only in the address'),
    several('`hashedState` is Base64 of SHA-256 over the characters of `state`'),
    assumed('a repeated `requestId` opens another session', 'it has no meaning to the provider'),
    assumed('a session can be used for five minutes', 'as long as an attempt lives'),
  ),
  ...at(
    'page',
    documented('the result goes by form post to `/api/v2/oidc/callback`, the provider’s own'),
    several('the browser then reaches the relying party with `state`'),
    disputed('it comes by GET, by a setting by POST', 'both are in use'),
    assumed('the form has a button and no script', 'the page works without scripts'),
    assumed(
      'parameters that are not as they were given out are 404; only the language may differ',
      'the address is to be used unchanged',
    ),
    assumed('whoever refuses is sent back in the same way, with `state` alone', 'nobody says'),
  ),
  ...at(
    'exchange',
    several('takes `state`, answers `state` and `token`'),
    several('before the approval, unknown or used: 401 `401-033-024`'),
    several('a state works once'),
    several('whether a token is valid is answered by a bare `true` or `false`'),
    assumed('a refusal stays 401, as if nobody had answered', 'no code of its own is known'),
    assumed(
      'a state can be exchanged for 150 s after the approval',
      'as long as its token is good',
    ),
    assumed('the token is made at the exchange, so it is always fresh', 'a late exchange is rare'),
  ),
  ...at(
    'id_token',
    disputed(
      '`iss` is that of pushes; `WEB_ISSUER` gives it another one',
      'some sign the two kinds of tokens with two issuers',
    ),
    one('`exp` is 150 s after `iat`, `nbf` as much before it'),
    one('`nationalityCode` and `assurance_level` are texts, `gender` is a word'),
    disputed(
      'one claim identifies: `nin`, `iqamaNumber`, `visaNumber` or `borderNumber`',
      '`nationalId`, or `sub` alone, is read too; see `PROFILE`',
    ),
    disputed(
      'names are `arabicName` and `englishName`, whole and in parts',
      'the names of a push, or `name_ar` and `name_en`, are read too; see `PROFILE`',
    ),
    disputed(
      'carries `iss`, `nonce` and `aud` as the address of the session had them',
      'some read tokens without one of them',
    ),
    one('`nationality` is in the language of the session'),
    one('`sub` and `userid` are the number of the document'),
    assumed('a part that a name does not have is an empty text', 'as tokens of pushes have it'),
    assumed('`assurance_level` is never empty', 'everybody here has a level'),
    assumed(
      '`dob` and the days of expiry are like `Thu Apr 12 00:00:00 AST 1990`',
      'they are texts that no parser is meant for',
    ),
  ),
];
