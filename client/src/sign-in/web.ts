import type { ApiToken } from '../types.ts';
import { checkOptions, type SignInOptions } from './options.ts';
import { callOf, defaultEnd, SignIn, type SignInEnd } from './steps.ts';

export type { Locale } from './cookie.ts';
export type { SignInOptions } from './options.ts';
export type { SignInEnd } from './steps.ts';
export type { Waiting } from './waiting-page.ts';

type MaybePromise = Response | Promise<Response>;

export interface WebSignInOptions extends SignInOptions {
  /** The person has signed in. Begin a session with a new id here, and answer, as by a redirect. */
  readonly signedIn: (token: ApiToken, request: Request) => MaybePromise;
  /** Nobody has signed in. Without it the browser is redirected to `/?sign_in=` and the outcome. */
  readonly ended?: (end: SignInEnd, request: Request) => MaybePromise;
  /** After `POST sign-in/out`: end the session here, and answer. Without it there is no such address. */
  readonly signedOut?: (request: Request) => MaybePromise;
  /** The IP address of the person, as the platform knows it: the service limits starts by it. */
  readonly addressOf?: (request: Request) => string | undefined;
}

/**
 * A sign-in for frameworks that take a `Request` and give a `Response`: Next.js, Hono, SvelteKit,
 * Remix, Deno, Bun.
 * @returns a handler; it gives null for a request to any other address than those of the sign-in
 * @throws TypeError for an option that is missing, wrong or unknown
 */
export function signInForWeb(
  options: WebSignInOptions,
): (request: Request) => Promise<Response | null> {
  checkOptions(options, 'signedIn', 'ended', 'signedOut', 'addressOf');
  const { signedIn, ended = goToEnd, signedOut, addressOf } = options;
  const signIn = new SignIn(options);
  return async (request) => {
    const step = await signIn.step(callOf(request, addressOf?.(request)));
    if (step === null) return null;
    if ('answer' in step) return step.answer;
    const answer = () => {
      if ('token' in step) return signedIn(step.token, request);
      return 'end' in step ? ended(step.end, request) : signedOut?.(request);
    };
    return withCookies((await answer()) ?? new Response(null), step.cookies);
  };
}

function goToEnd(end: SignInEnd): Response {
  return new Response(null, { status: 303, headers: { location: defaultEnd(end) } });
}

/** A copy, because the headers of some answers, as of `Response.redirect`, can't be changed. */
function withCookies({ body, status, headers }: Response, cookies: readonly string[]): Response {
  const more = new Headers(headers);
  for (const cookie of cookies) more.append('set-cookie', cookie);
  return new Response(body, { status, headers: more });
}
