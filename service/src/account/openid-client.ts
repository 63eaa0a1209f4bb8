/** How an OpenID client shows at the token endpoint who it is. */
export const TOKEN_AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export const ID_TOKEN_ALGORITHMS = ['RS256', 'ES256'] as const;
/** What a client may ask for. `openid` is in every request. */
export const OPENID_SCOPES = [
  'openid',
  'profile',
  'email',
  'national_id',
  'offline_access',
] as const;

export type OpenidScope = (typeof OPENID_SCOPES)[number];

/** What the member `openid` of a client says, by the names of the registration (RFC 7591). */
export interface OpenidClient {
  readonly redirectUris: readonly string[];
  readonly tokenAuthMethod: (typeof TOKEN_AUTH_METHODS)[number];
  readonly scopes: readonly OpenidScope[];
  readonly idTokenAlgorithm: (typeof ID_TOKEN_ALGORITHMS)[number];
  /** Always true for a public client. */
  readonly requiresPkce: boolean;
}

/** Below the origin: where the browser of a sign-in by OpenID comes back to. */
export const OPENID_RETURN = '/openid/return';
