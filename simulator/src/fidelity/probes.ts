import { createHash } from 'node:crypto';
import { checkOf } from '@miftah/schema/check';
import { NEVER_LISTED_ID } from '../engine/people/national-id.ts';
import { PushAnswer } from '../http/wire.ts';
import type { Place } from './behaviour.ts';

/** What one side of a comparison was asked with; later probes use what earlier ones were told. */
export interface Asked {
  /** A UUID. */
  readonly requestId: string;
  /** The identity that a push may be sent to; null for none. */
  readonly identity: string | null;
  readonly service: string;
  readonly transId?: string;
  readonly random?: string;
}

export interface ProbeRequest {
  readonly method: 'GET' | 'POST';
  /** Below the prefix, with its query. */
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
}

/** Which key headers a probe sends: none of them is ever the caller's with another key. */
export type Keys = 'right' | 'right, app_id' | 'made up' | 'none';

/** A place in an answer that a behaviour of its own is about, and a setting that changes it. */
export interface Point {
  /** `status`, `content type`, `body`, `body.random`, `body.url?state`. */
  readonly at: string;
  readonly what: string;
  /** The setting of the simulator that makes it equal; null where none does. */
  readonly set?: (there: string) => string | null;
}

/** A harmless question to a provider, and the behaviour that its answer shows. */
export interface Probe {
  readonly name: string;
  readonly where: Place;
  /** How the behaviour in the fidelity card begins. */
  readonly what: string;
  readonly keys: Keys;
  readonly points?: readonly Point[];
  /** Null: it can't be asked with what is known. */
  readonly request: (asked: Asked) => ProbeRequest | null;
  /** What later probes need of the answer's body. */
  readonly learn?: (body: unknown) => Partial<Asked>;
}

const KEYS_PATH = '/api/v1/mfa/jwk';
const STATUS_PATH = '/api/v1/mfa/request/status';
const EXCHANGE_PATH = '/api/v2/oidc/jwt';
const UNKNOWN_PATH = '/api/v1/miftah-doctor';
const STATE_BYTES = 256;
const JSON_TYPE = 'application/json';

const keysRequest = (): ProbeRequest => ({ method: 'GET', path: KEYS_PATH });
const pathRequest = (): ProbeRequest => ({ method: 'GET', path: UNKNOWN_PATH });
const post = (path: string, body: string, contentType = JSON_TYPE): ProbeRequest => ({
  method: 'POST',
  path,
  body,
  contentType,
});

/** A sign-in by browser that nobody has to open. */
export const sessionRequest = (requestId: string, locale: string): ProbeRequest => ({
  method: 'GET',
  path: `/api/v2/oidc/session?${new URLSearchParams({ locale, requestId })}`,
});

export const exchangeRequest = (state: string): ProbeRequest =>
  post(EXCHANGE_PATH, JSON.stringify({ state }));

const statusRequest = (nationalId: string, transId: string, random: string): ProbeRequest =>
  post(STATUS_PATH, JSON.stringify({ nationalId, transId, random }));

/** A state that nobody gave out, in the form of one that was; it differs in each comparison. */
function unknownState(requestId: string): string {
  const digest = createHash('sha512').update(requestId).digest();
  return Buffer.concat(Array.from({ length: STATE_BYTES / digest.length }, () => digest)).toString(
    'base64',
  );
}

const pushAnswer = checkOf(PushAnswer);

/** The simulator asks for keys where it has been given a pair. */
const ANY_KEYS: readonly Point[] = [
  {
    at: 'status',
    what: 'else 403',
    set: (there) => (there === '200' ? 'APP_ID= and APP_KEY= (empty: any keys are taken)' : null),
  },
];

const GATEWAY: readonly Probe[] = [
  {
    name: 'keys',
    where: 'keys',
    what: 'one set for both flows',
    keys: 'right',
    request: keysRequest,
  },
  {
    name: 'keys, app_id',
    where: 'gateway',
    what: 'wants the pair',
    keys: 'right, app_id',
    request: keysRequest,
  },
  {
    name: 'keys, wrong',
    where: 'gateway',
    what: 'else 403',
    keys: 'made up',
    points: ANY_KEYS,
    request: keysRequest,
  },
  {
    name: 'keys, none',
    where: 'gateway',
    what: 'else 403',
    keys: 'none',
    points: ANY_KEYS,
    request: keysRequest,
  },
  {
    name: 'path, unknown',
    where: 'gateway',
    what: 'an unknown path',
    keys: 'right',
    request: pathRequest,
  },
  {
    name: 'path, unknown, no keys',
    where: 'gateway',
    what: 'it looks at the path before',
    keys: 'none',
    request: pathRequest,
  },
];

const WEB: readonly Probe[] = [
  {
    name: 'session',
    where: 'session',
    what: 'answers `id` (null)',
    keys: 'right',
    points: [
      { at: 'body.url?state', what: '`state` is 344 characters' },
      { at: 'body.hashedState', what: '`hashedState` is Base64' },
      { at: 'body.url?max_age', what: '`max_age` is the moment' },
      { at: 'body.url?', what: 'the address carries eleven parameters' },
    ],
    request: ({ requestId }) => sessionRequest(requestId, 'en'),
  },
  {
    name: 'session, other language',
    where: 'push',
    what: 'languages other than `ar` and `en`',
    keys: 'right',
    request: ({ requestId }) => sessionRequest(requestId, 'fr'),
  },
  {
    name: 'exchange, unknown state',
    where: 'exchange',
    what: 'before the approval, unknown or used',
    keys: 'right',
    request: ({ requestId }) => exchangeRequest(unknownState(requestId)),
  },
  {
    name: 'token, not valid',
    where: 'exchange',
    what: 'whether a token is valid',
    keys: 'right',
    request: () => post(`${EXCHANGE_PATH}/valid`, JSON.stringify({ id_token: 'e30.e30.e30' })),
  },
];

const BODIES: readonly Probe[] = [
  {
    name: 'status, unknown transaction',
    where: 'status',
    what: 'unknown, or not this person',
    keys: 'right',
    request: ({ requestId }) => statusRequest(NEVER_LISTED_ID, requestId, '00'),
  },
  {
    name: 'body, members missing',
    where: 'push',
    what: 'invalid data and unknown services',
    keys: 'right',
    points: [{ at: 'body.', what: 'a record has `status`' }],
    request: () => post(STATUS_PATH, '{}'),
  },
  {
    name: 'body, no JSON',
    where: 'errors',
    what: 'unreadable, too large',
    keys: 'right',
    request: () => post(STATUS_PATH, '{'),
  },
  {
    name: 'body, foreign',
    where: 'errors',
    what: 'unreadable, too large',
    keys: 'right',
    request: () => post(STATUS_PATH, 'a text', 'text/plain'),
  },
];

/** A push reaches a person, so these are for an identity that the caller has named. */
const PUSH: readonly Probe[] = [
  {
    name: 'push',
    where: 'push',
    what: 'an accepted push answers 200',
    keys: 'right',
    points: [
      {
        at: 'status',
        what: 'an accepted push answers 200',
        set: (there) => (there === '200' || there === '201' ? `PUSH_STATUS=${there}` : null),
      },
      { at: 'body.random', what: '`random` has two digits' },
    ],
    request: ({ requestId, identity, service }) =>
      identity === null
        ? null
        : post(
            `/api/v1/mfa/request?${new URLSearchParams({ local: 'en', requestId })}`,
            JSON.stringify({ nationalId: identity, service }),
          ),
    learn: (body) => (pushAnswer.holds(body) ? { transId: body.transId, random: body.random } : {}),
  },
  {
    name: 'status, after a push',
    where: 'status',
    what: 'the values are `WAITING`',
    keys: 'right',
    request: ({ identity, transId, random }) =>
      identity === null || transId === undefined || random === undefined
        ? null
        : statusRequest(identity, transId, random),
  },
];

/** In the order in which they are asked. */
export const PROBES: readonly Probe[] = [...GATEWAY, ...WEB, ...BODIES, ...PUSH];

/** Asked after a person has approved a sign-in by browser. */
export const SIGN_IN: Omit<Probe, 'request' | 'keys' | 'learn'> = {
  name: 'sign-in',
  where: 'id_token',
  what: 'one claim identifies',
  points: [
    { at: 'claims.exp', what: '`exp` is 150 s' },
    { at: 'claims.iss', what: 'carries `iss`' },
    { at: 'claims.nonce', what: 'carries `iss`' },
    { at: 'claims.aud', what: 'carries `iss`' },
    { at: 'claims.nationality', what: '`nationalityCode` and' },
    { at: 'claims.assurance_level', what: '`nationalityCode` and' },
    { at: 'claims.gender', what: '`nationalityCode` and' },
    { at: 'claims.dob', what: '`dob` and the days' },
    { at: 'claims.sub', what: '`sub` and `userid`' },
    { at: 'claims.userid', what: '`sub` and `userid`' },
    { at: 'claims.arabic', what: 'names are' },
    { at: 'claims.english', what: 'names are' },
    { at: 'claims.name_', what: 'names are' },
    { at: 'claims.first', what: 'names are' },
  ],
};
