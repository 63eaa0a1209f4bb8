/** What is used of better-auth, which an application has, and this package has not. */

declare module 'better-auth/api' {
  export interface EndpointContext {
    readonly request: Request;
    readonly responseHeaders: Headers;
    readonly context: { readonly logger: { error(message: string, ...more: unknown[]): void } };
    /** What has to be thrown. */
    redirect(url: string): Error;
  }
  export function createAuthEndpoint(
    path: string,
    about: object,
    handler: (context: EndpointContext) => Promise<Response>,
  ): object;
}

declare module 'better-auth/cookies' {
  export function setSessionCookie(context: object, session: object): Promise<void>;
}

declare module 'better-auth/oauth2' {
  type Result =
    | { readonly error: string; readonly data: null }
    | { readonly error: null; readonly data: object };
  export function handleOAuthUserInfo(context: object, about: object): Promise<Result>;
}
