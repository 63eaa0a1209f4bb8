import { createAuthEndpoint, type EndpointContext } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { handleOAuthUserInfo } from 'better-auth/oauth2';
import { freshBytes } from '../platform.ts';
import type { ApiToken } from '../types.ts';
import { checkOptions, type SignInOptions } from './options.ts';
import { callOf, defaultEnd, SignIn } from './steps.ts';

export type { Locale } from './cookie.ts';
export type { SignInOptions } from './options.ts';
export type { Waiting } from './waiting-page.ts';

export interface BetterAuthSignInOptions extends SignInOptions {
  /** `/miftah` below the `basePath` of better-auth; `/api/auth/miftah`. */
  readonly path?: string;
  /** The path where the person is led who has signed in; `/`. */
  readonly callbackURL?: string;
  /** The path where the person is led who has not, with `?sign_in=` and the outcome; `/`. */
  readonly errorCallbackURL?: string;
  /** The IP address of the person, as the platform knows it: the service limits starts by it. */
  readonly addressOf?: (request: Request) => string | undefined;
}

/** A plugin of better-auth, as far as an application knows it. */
export interface BetterAuthSignIn {
  readonly id: 'miftah';
  init(context: { readonly baseURL: string }): void;
}

const PROVIDER = 'miftah';
const METHODS = ['GET', 'POST'] as const;

/**
 * A plugin of better-auth: `plugins: [signInForBetterAuth({ ... })]`. Its addresses are below
 * `/api/auth/miftah`.
 * @throws TypeError for an option that is missing, wrong or unknown
 */
export function signInForBetterAuth(options: BetterAuthSignInOptions): BetterAuthSignIn {
  checkOptions(options, 'callbackURL', 'errorCallbackURL', 'addressOf');
  const { path = '/api/auth/miftah', callbackURL = '/', errorCallbackURL = '/' } = options;
  const signIn = new SignIn({ ...options, path });
  const about = { method: METHODS, disableBody: true, requireRequest: true } as const;
  const miftah = createAuthEndpoint('/miftah/**', about, async (context) => {
    const { request } = context;
    const step = await signIn.step(callOf(request, options.addressOf?.(request)));
    if (step === null) return new Response(null, { status: 404 });
    if ('answer' in step) return step.answer;
    for (const cookie of step.cookies) context.responseHeaders.append('set-cookie', cookie);
    if ('token' in step) {
      const fault = await beginSession(step.token, context);
      if (fault === null) throw context.redirect(callbackURL);
      throw context.redirect(`${errorCallbackURL}?sign_in=refused&code=${fault}`);
    }
    if (!('end' in step)) return new Response(null, { status: 404 });
    const { end } = step;
    if (end.outcome === 'refused') context.context.logger.error(end.error.message, end.error);
    throw context.redirect(errorCallbackURL + defaultEnd(end).slice(1));
  });
  const plugin = {
    id: PROVIDER,
    endpoints: { miftah },
    init({ baseURL }: { readonly baseURL: string }) {
      const right = URL.canParse(baseURL) ? `${new URL(baseURL).pathname}/miftah` : path;
      if (path !== right) throw new TypeError(`path must be ${right}, below basePath`);
    },
  } as const;
  return plugin;
}

/**
 * The account is found by the id of the person alone, never by an e-mail address: somebody could have
 * signed up with it before. So the address of a new user is one that nobody can have known.
 * @returns why there is none
 */
async function beginSession({ user }: ApiToken, context: EndpointContext): Promise<string | null> {
  const { error, data } = await handleOAuthUserInfo(context, {
    userInfo: {
      id: String(user.id),
      name: user.name,
      email: `${unknownName()}@miftah.invalid`,
      emailVerified: false,
    },
    account: { providerId: PROVIDER, accountId: String(user.id) },
    requireExactAccountBinding: true,
  });
  if (data === null) return error.replaceAll(' ', '_');
  await setSessionCookie(context, data);
  return null;
}

/** Of an address: not longer than 64 characters, and the same in small letters. */
function unknownName(): string {
  return Array.from(freshBytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
