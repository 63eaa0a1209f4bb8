import { randomKey } from '../platform.ts';
import type { ApiToken } from '../types.ts';
import { has } from '../wire.ts';
import { send, stepAtNode, type NodeRequest, type NodeResponse, type Onward } from './node.ts';
import { checkOptions, type SignInOptions } from './options.ts';
import { callOf, defaultEnd, SignIn } from './steps.ts';

export type { Locale } from './cookie.ts';
export type { NodeRequest, NodeResponse } from './node.ts';
export type { SignInOptions } from './options.ts';
export type { Waiting } from './waiting-page.ts';

type MaybePromise<Value> = Value | Promise<Value>;

export interface AuthJsSignInOptions extends SignInOptions {
  /** `Auth` of `@auth/core` with the application's configuration: `(request) => Auth(request, config)`. */
  readonly auth: (request: Request) => Promise<Response>;
  /** That of the configuration; `/auth`. */
  readonly basePath?: string;
  /** The path where the person is led who has signed in; `/`. */
  readonly redirectTo?: string;
  /** The user of Auth.js; null for somebody who may not come in. By default the id and the name. */
  readonly profile?: (token: ApiToken) => MaybePromise<object | null>;
  /** That of the configuration: what is told of a start or an exchange that was refused. */
  readonly logger?: { readonly error: (error: Error) => void };
  /** The IP address of the person, as the platform knows it: the service limits starts by it. */
  readonly addressOf?: (request: Request) => string | undefined;
}

/** What Auth.js knows of the sign-in. */
export interface AuthJsProvider {
  readonly id: 'miftah';
  readonly name: string;
  readonly type: 'credentials';
  readonly credentials: Record<string, never>;
  readonly authorize: (credentials: Partial<Record<string, unknown>>) => Promise<object | null>;
}

export interface AuthJsSignIn {
  /** For `providers` of the configuration. */
  readonly provider: AuthJsProvider;
  /** For Express; it passes on every request that is none of the sign-in's. */
  readonly middleware: (
    request: NodeRequest,
    response: NodeResponse,
    next: (error?: unknown) => void,
  ) => Promise<void>;
  /** For frameworks with Web-standard requests: null for one that is none of the sign-in's. */
  readonly handle: (request: Request) => Promise<Response | null>;
}

/**
 * A sign-in whose end begins a session of Auth.js, by a provider of credentials. What it takes is a
 * ticket that never leaves this process, so that nobody else can sign in by that provider.
 * @throws TypeError for an option that is missing, wrong or unknown
 */
export function signInForAuthJs(options: AuthJsSignInOptions): AuthJsSignIn {
  checkOptions(options, 'auth', 'basePath', 'redirectTo', 'profile', 'logger', 'addressOf');
  const { profile = idAndName, logger, addressOf } = options;
  const signIn = new SignIn(options);
  const tickets = new Map<string, ApiToken>();
  const lead = async (step: Onward, cookie: string | null | undefined): Promise<Response> => {
    if ('end' in step) {
      if (step.end.outcome === 'refused') logger?.error(step.end.error);
      return redirect(defaultEnd(step.end));
    }
    if (!('token' in step)) return redirect('/');
    const ticket = randomKey();
    tickets.set(ticket, step.token);
    try {
      return await beginSession(options, ticket, cookie ?? '');
    } finally {
      tickets.delete(ticket);
    }
  };
  return {
    provider: {
      id: 'miftah',
      name: 'Miftah',
      type: 'credentials',
      credentials: {},
      authorize: async ({ ticket }) => {
        const token = typeof ticket === 'string' ? tickets.get(ticket) : undefined;
        return token === undefined ? null : profile(token);
      },
    },
    async middleware(request, response, next) {
      try {
        const step = await stepAtNode(signIn, request, response, request.ip);
        if (step === null) return next();
        if (step !== 'answered') {
          await send(await lead(step, request.headers['cookie']?.toString()), response);
        }
      } catch (error) {
        next(error);
      }
    },
    async handle(request) {
      const step = await signIn.step(callOf(request, addressOf?.(request)));
      if (step === null || 'answer' in step) return step?.answer ?? null;
      const answer = await lead(step, request.headers.get('cookie'));
      for (const cookie of step.cookies) answer.headers.append('set-cookie', cookie);
      return answer;
    },
  };
}

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { location } });
}

const idAndName = ({ user }: ApiToken) => ({ id: String(user.id), name: user.name });

/**
 * Asks Auth.js as a page of its own would: with the cookies of the browser, and with the token that
 * it gives against forms of other sites.
 * @returns its redirect, with the cookie of the session where there is one
 */
async function beginSession(
  { auth, appUrl, basePath = '/auth', redirectTo = '/' }: AuthJsSignInOptions,
  ticket: string,
  cookie: string,
): Promise<Response> {
  const at = (path: string) => new URL(basePath + path, appUrl);
  const asked = await auth(new Request(at('/csrf'), { headers: { cookie } }));
  const told: unknown = await asked.json();
  if (!has<{ csrfToken: string }>(told, 'csrfToken')) throw new Error('basePath: no Auth.js there');
  const fresh = asked.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const pairs = [...cookie.split(/; */), ...fresh];
  const cookies = new Map(pairs.map((pair) => [pair.split('=')[0], pair]));
  const { csrfToken } = told;
  const callbackUrl = new URL(redirectTo, appUrl).href;
  const begun = await auth(
    new Request(at('/callback/miftah'), {
      method: 'POST',
      headers: { cookie: [...cookies.values()].join('; ') },
      body: new URLSearchParams({ csrfToken, ticket, callbackUrl }),
    }),
  );
  const location = begun.headers.get('location');
  if (location === null) throw new Error(`Auth.js began no session: ${begun.status}`);
  const answer = redirect(location);
  for (const line of [asked, begun].flatMap(({ headers }) => headers.getSetCookie())) {
    answer.headers.append('set-cookie', line);
  }
  return answer;
}
