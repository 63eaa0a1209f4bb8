/**
 * How sure we are that a real provider does what the simulator does. `documented`: the interface
 * document says so. `reported`: independent integrations say so. `assumed`: somebody had to decide.
 */
export const GRADES = ['documented', 'reported', 'assumed'] as const;
export type Grade = (typeof GRADES)[number];

export interface Behaviour {
  readonly where: 'session' | 'push' | 'status' | 'errors' | 'phone';
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
  documented('push', 'the query parameter is spelled `local`'),
  documented('push', 'somebody unknown is 422 `422-016-023`'),
  reported('push', 'an accepted push answers 200 with `transId` (a UUID) and `random`'),
  reported('push', '`random` has two digits'),
  reported('push', '`nationalId` is ten digits, the first one of 1 to 6 or 9'),
  reported('push', 'invalid data and unregistered services are 422 `422-031-046`'),
  reported('push', 'one waits for a person at a time: the next is 400 `400-034-050`'),
  reported('push', 'it waits 60 s for service Login, 200 s for others'),
  assumed('push', 'the person can answer until the last moment of that time'),
  assumed('push', 'the registered services are Login and Confirm'),
  assumed('push', 'members and parameters that nobody knows are not looked at'),
  assumed('push', '`requestId` is a UUID of any version, in either case'),
  assumed('push', 'languages other than `ar` and `en` are invalid data'),
  reported('status', 'the values are `WAITING`, `COMPLETED`, `REJECTED` and `EXPIRED`'),
  reported('status', '`COMPLETED` says nothing of who the person is'),
  reported('status', 'unknown, or not this person or number: 400 `400-034-053`'),
  reported('status', 'an expired transaction is 400 `400-034-051`'),
  assumed('status', 'for the first 20 s after the expiry it is `EXPIRED` instead'),
  documented('errors', 'a record has `status` as text, `timestamp` null, `message`, `code`'),
  documented('errors', '`reference` is an integer that increases from call to call'),
  assumed('errors', '`reference` increases over restarts too, and begins at 4180001'),
  reported('errors', 'the gateway wants `APP-ID` and `APP-KEY`, else 403 and a text'),
  reported('errors', 'an unknown path is 404 and a text'),
  reported('errors', 'an outage is 500 or 503 with a text or a page'),
  assumed('errors', 'the gateway looks at the path before it looks at the keys'),
  assumed('errors', 'unreadable, too large and foreign bodies have codes ending in `031-046`'),
  assumed('phone', 'a wrong number and "not me" reject the push at once'),
  assumed('phone', 'whoever ignores a push can still answer it before it expires'),
];
