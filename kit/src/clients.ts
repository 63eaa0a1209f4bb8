import {
  ANYTHING,
  dataOf,
  listOf,
  oneOf,
  optional,
  secretThat,
  textThat,
  type Rule,
} from './options.ts';

/** The key of the client that strict mode has by default. It is public, as everybody there is invented. */
export const SIMULATOR_KEY = 'mfk_test_simulator';

/** An application, as the clients file of the service has it, in the names of this package. */
export interface Client {
  /** Lower-case letters, digits and `-`. */
  readonly id: string;
  readonly name: { readonly ar: string; readonly en: string };
  /** `confidential`: has a back end that keeps a key. */
  readonly type: 'public' | 'confidential';
  /** The first is used when a start names none. */
  readonly returnAddresses: readonly string[];
  readonly codeIn?: 'query' | 'fragment' | undefined;
  /** Keys (`mfk_…`), or their hashes (`sha256:…`). */
  readonly keys?: readonly string[] | undefined;
  /** The flows that this client may start without a key. */
  readonly keyless?: readonly ('oidc' | 'mfa')[] | undefined;
  /** Numbers of its own in the place of those of every client. */
  readonly limits?: ClientLimits | undefined;
  /** Who is told of its attempts. Nothing has to listen there: `webhooks.next()` has them too. */
  readonly webhooks?: readonly WebhookReceiver[] | undefined;
  /** An OpenID client: what its library has to be told of it. Its secret is one of the keys. */
  readonly openid?: OpenidClient | undefined;
}

export interface ClientLimits {
  readonly requestsPerMinute?: number | undefined;
  readonly pushesPerMinute?: number | undefined;
  readonly pushesPerPersonPerDay?: number | undefined;
}

/** docs/webhooks.md says what each is. */
export interface WebhookReceiver {
  readonly url: string;
  /** One (`whsec_…`), or two while it is changed. */
  readonly secrets: readonly string[];
  /** All without it. */
  readonly events?:
    | readonly (
        | 'attempt.authenticated'
        | 'attempt.rejected'
        | 'attempt.failed'
        | 'attempt.expired'
        | 'user.disabled'
        | 'tokens.revoked'
      )[]
    | undefined;
}

/** By the names of the registration of clients (RFC 7591); docs/openid.md says what each is. */
export interface OpenidClient {
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris?: readonly string[] | undefined;
  /** `openid`, and what else it may ask for, with spaces between. */
  readonly scope?: string | undefined;
  readonly tokenEndpointAuthMethod?:
    'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none' | undefined;
  /** Public keys, for `private_key_jwt`. */
  readonly jwks?: { readonly keys: readonly object[] } | undefined;
  readonly subjectType?: 'public' | 'pairwise' | undefined;
  readonly sectorIdentifier?: string | undefined;
  readonly idTokenSignedResponseAlg?: 'RS256' | 'ES256' | undefined;
  readonly requirePkce?: boolean | undefined;
  /** Whether it shares sign-ins with the other clients of which this is true. */
  readonly sso?: boolean | undefined;
  /** For a back end that sends pushes by CIBA. */
  readonly backchannelTokenDeliveryMode?: 'poll' | 'ping' | undefined;
  /** For `ping`: where it is told that a push has ended. */
  readonly backchannelClientNotificationEndpoint?: string | undefined;
  /** Where it is told of a logout. */
  readonly backchannelLogoutUri?: string | undefined;
  /** Whether it is told by the `sid` of its ID token too. */
  readonly backchannelLogoutSessionRequired?: boolean | undefined;
}

export interface ClientOptions {
  /** By default the key of the client that strict mode has. */
  readonly clientKey?: string | undefined;
}

/** What `clientKey` may be, in every call that takes it. */
export const CLIENT_KEY: Rule<string> = secretThat(
  'is the key of a client (mfk_…)',
  /^mfk_[!-~]+$/,
);

const TEXT = textThat('is text');
const KEY: Rule<string> = {
  ...textThat(
    'is a key (mfk_ and 8 to 252 visible ASCII characters), ' +
      'or the hash of one (sha256: and 64 hex digits in lower case)',
    /^(?:mfk_[!-~]{8,252}|sha256:[0-9a-f]{64})$/,
  ),
  isSecret: true,
};

const SECRET: Rule<string> = { ...textThat('is a secret, as text'), isSecret: true };

/** What each value may be says the service. */
const VALUE = optional(ANYTHING);

const OPENID: Rule<OpenidClient> = dataOf<OpenidClient>('is an object such as { redirectUris }', {
  redirectUris: listOf('is a list of addresses', textThat('is an address, as text')),
  postLogoutRedirectUris: VALUE,
  scope: VALUE,
  tokenEndpointAuthMethod: VALUE,
  jwks: VALUE,
  subjectType: VALUE,
  sectorIdentifier: VALUE,
  idTokenSignedResponseAlg: VALUE,
  requirePkce: VALUE,
  sso: VALUE,
  backchannelTokenDeliveryMode: VALUE,
  backchannelClientNotificationEndpoint: VALUE,
  backchannelLogoutUri: VALUE,
  backchannelLogoutSessionRequired: VALUE,
});

const LIMITS: Rule<ClientLimits> = dataOf<ClientLimits>(
  'is an object such as { requestsPerMinute }',
  { requestsPerMinute: VALUE, pushesPerMinute: VALUE, pushesPerPersonPerDay: VALUE },
);

const RECEIVER: Rule<WebhookReceiver> = dataOf<WebhookReceiver>('is a receiver', {
  url: textThat('is an address, as text'),
  secrets: { ...listOf('is a list of secrets (whsec_…)', SECRET), isSecret: true },
  events: VALUE,
});

export const CLIENT: Rule<Client> = dataOf<Client>('is a client', {
  id: textThat('is lower-case letters, digits and "-"', /^[a-z0-9-]+$/),
  name: dataOf<Client['name']>('is an object such as { ar, en }', { ar: TEXT, en: TEXT }),
  type: oneOf('public', 'confidential'),
  returnAddresses: listOf('is a list of addresses', textThat('is an address, as text')),
  codeIn: optional(oneOf('query', 'fragment')),
  keys: optional({ ...listOf('is a list of keys', KEY), isSecret: true }),
  keyless: optional(listOf('is a list of oidc and mfa', oneOf('oidc', 'mfa'))),
  limits: optional(LIMITS),
  webhooks: optional(listOf('is a list of receivers', RECEIVER)),
  openid: optional(OPENID),
});
