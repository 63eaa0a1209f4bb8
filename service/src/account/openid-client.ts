import { memberOf } from '../values/member.ts';
import { DAY_MS } from '../values/time.ts';

/** How an OpenID client shows at the token endpoint who it is. */
export const TOKEN_AUTH_METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
] as const;
/** What an assertion of a client may be signed with: with nothing that the service knows too. */
export const ASSERTION_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
export const BACKCHANNEL_DELIVERIES = ['poll', 'ping'] as const;
export const ID_TOKEN_ALGORITHMS = ['RS256', 'ES256'] as const;
/** What a client may ask for. `openid` is in every request. */
export const OPENID_SCOPES = [
  'openid',
  'profile',
  'email',
  'national_id',
  'birthdate',
  'offline_access',
] as const;

/** In the place of the `sub` that the library wants of a login_hint: whose phone it is may have none yet. */
export const WHO_IS_HINTED = 'the person of the login_hint';

/** The kind of record of a session that several clients share (single sign-on). */
export const SHARED_SESSION = 'SharedSession';

/** The kind of record of a sign-in whose client is told when an operator ends it. */
export const TOLD_AT_END = 'ToldAtEnd';
/** How long such a client is still told of it. */
export const TELLING_MS = DAY_MS;

export type OpenidScope = (typeof OPENID_SCOPES)[number];

export interface BackchannelDelivery {
  readonly mode: (typeof BACKCHANNEL_DELIVERIES)[number];
  /** Where it is told by ping; null by poll. */
  readonly notificationEndpoint: string | null;
}

export interface BackchannelLogout {
  readonly uri: string;
  /** Whether it has to be told which of the person's sign-ins has ended. */
  readonly needsSession: boolean;
}

/** What the member `openid` of a client says, by the names of the registration (RFC 7591). */
export interface OpenidClient {
  readonly redirectUris: readonly string[];
  /** Where a browser may be led after a logout. */
  readonly postLogoutRedirectUris: readonly string[];
  readonly tokenAuthMethod: (typeof TOKEN_AUTH_METHODS)[number];
  /** The public keys of a client that signs its assertions, as JSON Web Keys (RFC 7517); else none. */
  readonly jwks: readonly Readonly<Record<string, unknown>>[];
  /** Clients of one sector know a person by the same `sub`, and others by another; null: all by one. */
  readonly sector: string | null;
  readonly scopes: readonly OpenidScope[];
  readonly idTokenAlgorithm: (typeof ID_TOKEN_ALGORITHMS)[number];
  /** Always true for a public client. */
  readonly requiresPkce: boolean;
  /** Whether it shares the sessions of people with the other clients of which this is true. */
  readonly singleSignOn: boolean;
  /** How a back end that sends a push by CIBA learns of its end; null where it may not. */
  readonly backchannelDelivery: BackchannelDelivery | null;
  /** Where it is told of a logout; null where it is not. */
  readonly backchannelLogout: BackchannelLogout | null;
}

/**
 * The kind of record of a day of birth, as YYYY-MM-DD in the member `birthdate`, that waits for the
 * client of a sign-in. Its id is that of the attempt.
 */
export const BIRTH_DATE = 'BirthDate';

/** The day of birth in a record about a person; null where it has none. */
export function birthDateIn({ body }: { readonly body: string }): string | null {
  const record: unknown = JSON.parse(body);
  const text = memberOf(record, 'birthdate');
  return typeof text === 'string' ? text : null;
}

/** What a client has asked for. */
export interface OpenidWish {
  readonly scopes: Iterable<unknown>;
  /** The parameter `claims`, as a client has written it or as it was read. */
  readonly claims: unknown;
}

/** Whether a client with these scopes is told the day of birth: by the scope, or by the claim alone. */
export function asksForBirthDate(own: readonly string[], { scopes, claims }: OpenidWish): boolean {
  const asked = parsedClaims(claims);
  return (
    own.includes('birthdate') &&
    ([...scopes].includes('birthdate') ||
      ['id_token', 'userinfo'].some(
        (where) => memberOf(memberOf(asked, where), 'birthdate') !== undefined,
      ))
  );
}

/** @param body of the record of a sign-in that a browser has begun, or of what a back end asks for */
export function wishIn(body: string): OpenidWish {
  const record: unknown = JSON.parse(body);
  return wishOf(memberOf(record, 'params') ?? record);
}

export function wishOf(parameters: unknown): OpenidWish {
  const scope = memberOf(parameters, 'scope');
  return {
    scopes: typeof scope === 'string' ? scope.split(' ') : [],
    claims: memberOf(parameters, 'claims'),
  };
}

/** The parameter `claims`. Where it is no JSON it asks for nothing. */
export function parsedClaims(claims: unknown): unknown {
  try {
    return typeof claims === 'string' ? JSON.parse(claims) : claims;
  } catch {
    return null;
  }
}

/** Of the `sub` that a person gets at their first sign-in, and keeps. */
export const SUBJECT_BYTES = 16;

export const newSubject = (random: Uint8Array): string => Buffer.from(random).toString('base64url');

/**
 * A mark in the place of the return address of an attempt that is for a sign-in by OpenID. There is no
 * such route: `findWayBack` finds the real address.
 */
export const OPENID_RETURN = '/openid/return';

/** Below the origin: the page before a sign-in by OpenID. */
export const interactionPath = (uid: string): string => `/openid/interaction/${uid}`;

/** Where its browser comes back to. @param body of its record */
export function interactionReturn(body: string): string {
  return `${interactionPath(String(memberOf(JSON.parse(body), 'jti')))}/return`;
}
