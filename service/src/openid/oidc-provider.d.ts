/**
 * Types for the part of the package that is used, which has none of its own, and of what we keep in its
 * records (“Ours”). Its files are imported one
 * by one, because the index writes a warning to the terminal where Node is not a long-term release.
 */
declare module 'oidc-provider/lib/provider.js' {
  import type { IncomingMessage, ServerResponse } from 'node:http';
  import type { CheckContext, Policy } from 'oidc-provider/lib/helpers/interaction_policy/index.js';

  type Values = Readonly<Record<string, unknown>>;

  export interface Interaction {
    readonly uid: string;
    readonly params: Values;
    readonly returnTo: string;
    /** What it has ended with. */
    result?: Values;
    /** Ours: by which the person signs in. */
    readonly attemptId?: string;
  }

  export interface Context {
    readonly oidc: OidcContext;
    type: string;
    body: unknown;
    status: number;
    readonly path: string;
    url: string;
    set(name: string, value: string): void;
    remove(name: string): void;
    redirect(address: string): void;
    readonly response: { get(name: string): string };
    readonly cookies: {
      get: (name: string, options: object) => string | undefined;
      set: (
        name: string,
        value: null,
        options: { readonly signed: boolean; readonly overwrite: boolean },
      ) => unknown;
    };
    readonly headers: Readonly<Record<string, string | undefined>>;
    /** Those of the path. */
    readonly params: Readonly<Record<string, string | undefined>>;
    readonly query: Values;
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
  }

  /** What one client has in a session. */
  export interface Authorization {
    readonly grantId?: string;
  }

  /** Ours: the record without which the session is not written. */
  export type SessionFollows = { readonly grant: string } | { readonly kept: string };

  export interface Session {
    readonly id: string;
    /** The one that it had before its sign-in. */
    oldId?: string | undefined;
    /** Of one that is kept already. */
    readonly exp?: number;
    /** Whether it has to be written. */
    touched: boolean;
    /** It is not written any more. */
    destroyed: boolean;
    readonly accountId?: string;
    readonly acr?: string;
    /** When the person has signed in, in seconds. */
    readonly loginTs?: number;
    /** Ours: the client for which they have. */
    begunFor?: string;
    follows?: SessionFollows;
    /** Ours: the grants that clients had before their last ones, and until when each may be good. */
    earlier?: readonly { readonly grantId: string; readonly until: number }[] | undefined;
    /** Ours, not kept: a client gets something by this request. */
    hasGiven?: boolean;
    /** Ours, not kept: a logout was begun that is too long to be kept. */
    isFull?: boolean;
    /** By the id of the client. */
    readonly authorizations?: Readonly<Record<string, Authorization>>;
    /** Of a logout that was begun. */
    readonly state?: {
      readonly secret: string;
      readonly postLogoutRedirectUri?: string;
      readonly state?: string;
    };
    /** The id by which a client knows this sign-in. */
    sidFor(clientId: string): string | undefined;
    grantIdFor(clientId: string, grantId?: string): string | undefined;
    ensureClientContainer(clientId: string): void;
    destroy(): Promise<void>;
  }

  export interface OidcContext {
    readonly provider: Provider;
    /** The name of the endpoint. */
    readonly route: string;
    /** What was read for the request, by its kind. */
    readonly entities: Readonly<Record<string, object | undefined>> & {
      readonly Grant?: Grant;
      readonly Interaction?: Interaction;
    };
    readonly client?: OidcClient;
    readonly session?: Session;
    entity(kind: 'Grant' | 'Session', record: object): void;
    readonly prompts: ReadonlySet<string>;
    readonly account?: object;
    readonly result?: { readonly login?: object };
    readonly params?: Values;
    /** The form, as it was read. */
    readonly body?: Values;
    readonly claims: { readonly id_token?: Values; readonly userinfo?: Values } | undefined;
    readonly requestParamOIDCScopes: ReadonlySet<string>;
  }

  export interface OidcClient {
    readonly clientId: string;
    readonly scope?: string;
    grantTypeAllowed(type: string): boolean;
    redirectUriAllowed(address: string): boolean;
    postLogoutRedirectUriAllowed(address: string): boolean;
    readonly subjectType: 'public' | 'pairwise';
    readonly clientAuthMethod: string;
    readonly backchannelLogoutUri?: string;
    readonly backchannelLogoutSessionRequired?: boolean;
    /** Ours: the library's own, which is not for its logouts. */
    readonly tellOfEnd: BackchannelLogout;
  }

  /** Sends a logout token, once. @throws an error with `response` for an answer other than 200 and 204 */
  export type BackchannelLogout = (
    this: OidcClient,
    accountId: string,
    sid: string | undefined,
  ) => Promise<void>;

  export interface IssuedToken {
    readonly clientId: string;
    readonly accountId: string;
    readonly kind: string;
    /** What it was given with. */
    readonly scopes: ReadonlySet<string>;
    scope?: string;
  }

  export interface RefreshToken extends IssuedToken {
    /** In seconds, since the first one that it was rotated from. */
    totalLifetime(): number;
  }

  export interface OidcAccount {
    readonly accountId: string;
    claims(): Values;
  }

  /** A request of CIBA. */
  export interface BackchannelRequest {
    readonly jti: string;
    readonly clientId: string;
    accountId: string;
    /** Once the person has approved it. */
    readonly grantId?: string;
    save(): Promise<string>;
    /** @throws OIDCProviderError where its tokens were given already */
    consume(): Promise<void>;
    readonly isExpired: boolean;
    /** In seconds. */
    readonly expiration: number;
    readonly params: Values;
    readonly scopes: ReadonlySet<string>;
    readonly claims: OidcContext['claims'];
  }

  export interface Grant {
    readonly jti: string;
    readonly clientId: string;
    getOIDCScope(): string;
    getOIDCScopeFiltered(scopes: ReadonlySet<string>): string;
    getOIDCClaims(): readonly string[];
    addOIDCScope(scope: string): void;
    addOIDCClaims(claims: readonly string[]): void;
    save(): Promise<string>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Values);
    readonly issuer: string;
    /** The path of an endpoint. */
    pathFor(name: string): string;
    cookieName(kind: 'resume' | 'session'): string;
    /** Of Koa: how the library reads the cookies of a request. */
    createContext(
      request: IncomingMessage,
      response: ServerResponse,
    ): {
      readonly cookies: {
        get(name: string, options: { readonly signed: boolean }): string | undefined;
      };
    };
    use(handler: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    /** Of Koa: whether the headers of a proxy say by which protocol the request came. */
    proxy: boolean;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    on(event: 'error', listener: (error: unknown, context: Context) => void): this;
    on(
      event:
        | 'authorization.error'
        | 'backchannel_authentication.error'
        | 'end_session.error'
        | 'end_session_confirm.error'
        | 'grant.error'
        | 'introspection.error'
        | 'pushed_authorization_request.error'
        | 'revocation.error'
        | 'userinfo.error',
      listener: (context: Context, error: unknown) => void,
    ): this;
    on(event: 'server_error', listener: (context: Context, error: unknown) => void): this;
    registerGrantType(
      name: string,
      handler: (context: Context) => Promise<void>,
      parameters: ReadonlySet<string>,
    ): void;
    readonly BackchannelAuthenticationRequest: {
      new (payload: Values): BackchannelRequest;
      /** The names of the members that are kept. */
      readonly IN_PAYLOAD: readonly string[];
    };
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    readonly Grant: {
      new (properties: {
        jti: string;
        accountId: string;
        clientId: string;
        /** Ours: of the sign-in that has begun it. */
        birthdate?: string;
      }): Grant;
      /** The names of the members that are kept. */
      readonly IN_PAYLOAD: readonly string[];
      readonly prototype: {
        getOIDCScope: (this: Grant) => string;
        getOIDCClaims: (this: Grant) => readonly string[];
      };
    };
    /** The assertions that clients have proved who they are with. */
    readonly ReplayDetection: {
      unique(issuer: string, jti: string, exp: number): Promise<boolean>;
    };
    readonly OIDCContext: { readonly prototype: object };
    readonly IdToken: {
      /** Of a hint. */
      validate: (
        token: string,
        client: OidcClient,
      ) => Promise<{ readonly header: { readonly typ?: string } }>;
      readonly prototype: {
        /** Signs it. A logout token is another use. */
        issue: (
          this: { readonly client: OidcClient },
          how: { readonly use: string },
        ) => Promise<string>;
      };
    };
    readonly Interaction: {
      find: (uid: string) => Promise<Interaction | undefined>;
      /** The names of the members that are kept. */
      readonly IN_PAYLOAD: readonly string[];
    };
    readonly Session: {
      /** The names of the members that are kept. */
      readonly IN_PAYLOAD: readonly string[];
      /** That of the request's cookie, or a new one. */
      get: (context: Context) => Promise<Session>;
      instantiate(): Session;
      readonly prototype: {
        destroy: (this: Session) => Promise<void>;
        save: (this: Session, seconds: number) => Promise<string>;
        past: (this: Session, age: number | string) => boolean;
        grantIdFor: (this: Session, clientId: string, grantId?: string) => string | undefined;
      };
    };
    readonly Client: {
      find: (id: unknown) => Promise<OidcClient | undefined>;
      readonly prototype: {
        compareClientSecret: (this: OidcClient, secret: string) => boolean;
        redirectUriAllowed: (this: OidcClient, address: string) => boolean;
        postLogoutRedirectUriAllowed: (this: OidcClient, address: string) => boolean;
        backchannelLogout: BackchannelLogout;
        tellOfEnd: BackchannelLogout;
      };
    };
  }

  export type { CheckContext, Policy };
}

declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  import type { Context } from 'oidc-provider/lib/provider.js';

  export type CheckContext = Context;
  type Decide = (context: Context) => boolean | Promise<boolean>;

  export class Check {
    constructor(reason: string, description: string, error: string, check: Decide);
    readonly reason: string;
    check: Decide;
  }

  interface Checks extends Iterable<Check> {
    add(check: Check, at?: number): void;
    clear(): void;
  }

  export class Prompt {
    constructor(about: { readonly name: string; readonly requestable: boolean });
    readonly checks: Checks;
  }

  export interface Policy {
    get(name: string): Prompt | undefined;
    add(prompt: Prompt): void;
  }

  export function base(): Policy;
}

declare module 'oidc-provider/lib/helpers/als.js' {
  import type { AsyncLocalStorage } from 'node:async_hooks';
  import type { Context } from 'oidc-provider/lib/provider.js';

  /** The request that is answered now. */
  const requests: AsyncLocalStorage<Context>;
  export default requests;
}

declare module 'oidc-provider/lib/helpers/redirect_uri.js' {
  /** An address of a client, with these members in its query. */
  export default function redirectUri(
    address: string,
    members: Readonly<Record<string, string>>,
  ): string;
}

declare module 'oidc-provider/lib/helpers/grants.js' {
  import type { Provider } from 'oidc-provider/lib/provider.js';

  type Helper = (this: undefined, provider: Provider, ...rest: unknown[]) => unknown;
  export const consumeGrantSource: Helper;
  export const findGrantSource: Helper;
  export const validateGrant: Helper;
}

declare module 'oidc-provider/lib/actions/grants/ciba.js' {
  import type { Context, Provider } from 'oidc-provider/lib/provider.js';

  export const grantType: string;
  export const parameters: ReadonlySet<string>;
  export function handler(provider: Provider, helpers: object, context: Context): Promise<void>;
}

declare module 'oidc-provider/lib/actions/authorization/claims.js' {
  import type { Context } from 'oidc-provider/lib/provider.js';

  /** Reads `id_token_hint`, if there is one, for the checks of who has signed in. */
  export function checkIdTokenHint(context: Context, next: () => unknown): Promise<unknown>;
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  export class OIDCProviderError extends Error {
    constructor(description?: string);
    readonly error: string;
    readonly error_description?: string;
    readonly error_detail?: string;
  }
  export class AuthorizationPending extends OIDCProviderError {}
  export class ExpiredToken extends OIDCProviderError {}
  export class InvalidBindingMessage extends OIDCProviderError {}
  export class SlowDown extends OIDCProviderError {}
  export class UnknownUserId extends OIDCProviderError {}
  export class AccessDenied extends OIDCProviderError {}
  export class InvalidClientAuth extends OIDCProviderError {}
  export class InvalidGrant extends OIDCProviderError {}
  export class InvalidRedirectUri extends OIDCProviderError {
    constructor();
  }
  export class InvalidRequest extends OIDCProviderError {}
  export class LoginRequired extends OIDCProviderError {}
  export class SessionNotFound extends OIDCProviderError {}
  export class TemporarilyUnavailable extends OIDCProviderError {
    constructor(description: string, options?: { readonly cause: unknown });
  }
  export class UnmetAuthenticationRequirements extends OIDCProviderError {}
}
