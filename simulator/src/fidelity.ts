/**
 * How sure we are that a real provider does what the simulator does. `documented`: the interface
 * document says so. `reported`: independent integrations say so. `assumed`: somebody had to decide.
 */
export const GRADES = ['documented', 'reported', 'assumed'] as const;
export type Grade = (typeof GRADES)[number];

const PLACES = [
  'session',
  'page',
  'exchange',
  'id_token',
  'push',
  'status',
  'callback',
  'keys',
  'errors',
  'phone',
] as const;

export interface Behaviour {
  readonly where: (typeof PLACES)[number];
  readonly what: string;
  readonly grade: Grade;
}

const documented = (where: Behaviour['where'], what: string): Behaviour => ({
  where,
  what,
  grade: 'documented',
});
const reported = (where: Behaviour['where'], what: string): Behaviour => ({
  where,
  what,
  grade: 'reported',
});
const assumed = (where: Behaviour['where'], what: string): Behaviour => ({
  where,
  what,
  grade: 'assumed',
});

export const BEHAVIOURS: readonly Behaviour[] = [
  documented('session', 'answers `id` (null), `url`, `hashedState` and the echoed `requestId`'),
  documented('session', 'the address carries eleven parameters, with a new UUID as `nonce`'),
  documented('session', '`max_age` is the moment of the call in Unix seconds'),
  reported('session', '`state` is 344 characters of Base64 and stands only in the address'),
  reported('session', '`hashedState` is Base64 of SHA-256 over the characters of `state`'),
  assumed('session', 'a repeated `requestId` opens another session'),
  assumed('session', 'a session can be used for five minutes'),
  documented('page', 'the result goes by form post to `/api/v2/oidc/callback`, the provider’s own'),
  reported('page', 'the browser then reaches the relying party with `state`'),
  reported('page', 'it comes by GET; a setting makes it a POST, because reports disagree'),
  assumed('page', 'the form has a button and no script'),
  assumed(
    'page',
    'parameters that are not as they were given out are 404; only the language may differ',
  ),
  assumed('page', 'whoever refuses is sent back in the same way, with `state` alone'),
  reported('exchange', 'takes `state`, answers `state` and `token`'),
  reported('exchange', 'before the approval, unknown or used: 401 `401-033-024`'),
  reported('exchange', 'a state works once'),
  reported('exchange', 'whether a token is valid is answered by a bare `true` or `false`'),
  assumed('exchange', 'a refusal stays 401, as if nobody had answered'),
  assumed('exchange', 'a state can be exchanged for 150 s after the approval'),
  assumed('exchange', 'the token is made at the exchange, so it is always fresh'),
  reported('id_token', '`exp` is 150 s after `iat`, `nbf` as much before it'),
  reported('id_token', '`nationalityCode` and `assurance_level` are texts, `gender` is a word'),
  reported(
    'id_token',
    'one claim identifies: `nin`, `iqamaNumber`, `visaNumber` or `borderNumber`',
  ),
  reported('id_token', 'carries the `nonce` of the session, and `aud` as its address had it'),
  assumed('id_token', '`sub` and `userid` are the number of the document'),
  assumed('id_token', 'a part that a name does not have is an empty text'),
  assumed('id_token', '`dob` and the days of expiry are like `Thu Apr 12 00:00:00 AST 1990`'),
  documented('push', 'the query parameter is spelled `local`'),
  documented('push', 'somebody unknown is 422 `422-016-023`'),
  reported(
    'push',
    'an accepted push answers 200, by a setting 201, with `transId` (a UUID) and `random`',
  ),
  reported('push', '`random` has two digits'),
  reported('push', '`nationalId` is ten digits, the first one of 1 to 6 or 9'),
  reported('push', 'invalid data and unregistered services are 422 `422-031-046`'),
  reported('push', 'one waits for a person at a time: the next is 400 `400-034-050`'),
  reported('push', 'it waits 60 s for service Login, 180 s for others; a setting changes it'),
  assumed('push', 'the person can answer until the last moment of that time'),
  reported('push', 'the registered services are the eight names in use; a setting changes them'),
  assumed('push', 'members and parameters that nobody knows are not looked at'),
  reported('push', '`requestId` is any text of 1 to 128 characters'),
  assumed('push', 'languages other than `ar` and `en` are invalid data'),
  reported('status', 'the values are `WAITING`, `COMPLETED`, `REJECTED` and `EXPIRED`'),
  reported('status', '`COMPLETED` says nothing of who the person is'),
  reported('status', 'unknown, or not this person or number: 400 `400-034-053`'),
  reported('status', 'an expired transaction is 400 `400-034-051`'),
  assumed('status', 'for the first 20 s after the expiry it is `EXPIRED` instead'),
  reported('callback', 'POST of JSON: `token`, `transId`, `requestId`'),
  reported('callback', '`aud` is the registered service; `status` and `transId` are in the token'),
  reported('callback', 'the names of a person’s claims differ by document'),
  reported('callback', '`nationalityCode` is a number, `gender` a letter'),
  reported('callback', 'nothing is sent when a push expires'),
  assumed('callback', 'comes 100 ms after the answer of the person'),
  assumed('callback', 'the token of a rejection names nobody'),
  assumed('callback', '5xx and no answer: again after 1, 2, 4 and 8 s; other answers are final'),
  assumed('callback', 'follows no redirect, and waits 5 s for an answer'),
  reported('keys', 'one set for both flows: `kty`, `e`, `use`, `kid`, `alg` RS256, `n`'),
  assumed('keys', '`kid` is the thumbprint of the key'),
  assumed('keys', 'an old key stays published for ten minutes'),
  documented('errors', 'a record has `status` as text, `timestamp` null, `message`, `code`'),
  documented('errors', '`reference` is an integer that increases from call to call'),
  assumed('errors', '`reference` increases over restarts too, and begins at 4180001'),
  reported(
    'errors',
    'the gateway wants `APP-ID` and `APP-KEY`, or `app_id` and `app_key`, else 403 and a text',
  ),
  reported('errors', 'an unknown path is 404 and a text'),
  reported('errors', 'an outage is 500 or 503 with a text or a page'),
  assumed('errors', 'the gateway looks at the path before it looks at the keys'),
  assumed('errors', 'unreadable, too large and foreign bodies have codes ending in `031-046`'),
  assumed('phone', 'a wrong number and "not me" reject the push at once'),
  assumed('phone', 'whoever ignores a push can still answer it before it expires'),
];
