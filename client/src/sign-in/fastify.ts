import type { ApiToken } from '../types.ts';
import { FORM_TYPE, formOf, MOST_FORM_BYTES } from './form.ts';
import { checkOptions, type SignInOptions } from './options.ts';
import { defaultEnd, SignIn, type SignInEnd, type Step } from './steps.ts';

export type { Locale } from './cookie.ts';
export type { SignInOptions } from './options.ts';
export type { SignInEnd } from './steps.ts';
export type { Waiting } from './waiting-page.ts';

/** What is used of a request of Fastify. */
export interface FastifySignInRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: unknown;
  readonly ip: string;
}

/** What is used of a reply of Fastify. */
export interface FastifySignInReply {
  header(name: string, value: string): FastifySignInReply;
  redirect(url: string, code?: number): FastifySignInReply;
  send(payload: Response): unknown;
  callNotFound(): unknown;
}

/** What is used of an instance of Fastify, whose types depend on its application. */
export interface FastifySignInInstance {
  hasContentTypeParser(type: string): boolean;
  addContentTypeParser(...args: never[]): unknown;
  all(...args: never[]): unknown;
}

/** With the types of the calls that are made here; those of an application's own instance differ. */
interface Instance extends FastifySignInInstance {
  addContentTypeParser(type: string, options: object, parser: typeof parse): unknown;
  all(path: string, handler: unknown): unknown;
}

export interface FastifySignInOptions<Request, Reply> extends SignInOptions {
  /** Who has signed in. Begin a session with a new id here, and lead on. */
  readonly signedIn: (token: ApiToken, request: Request, reply: Reply) => unknown;
  /** The sign-in has ended otherwise; without it the browser goes to `/?sign_in=` and the outcome. */
  readonly ended?: (end: SignInEnd, request: Request, reply: Reply) => unknown;
  /** After `POST sign-in/out`: end the session here, and lead on. Without it there is no such address. */
  readonly signedOut?: (request: Request, reply: Reply) => unknown;
}

/**
 * A sign-in for Fastify 5, as a plugin without a prefix: `app.register(signInForFastify({ ... }))`. The
 * address of the person is `request.ip`: behind a proxy set `trustProxy`.
 * @throws TypeError for an option that is missing, wrong or unknown
 */
export function signInForFastify<
  Request extends FastifySignInRequest,
  Reply extends FastifySignInReply,
>(options: FastifySignInOptions<Request, Reply>): (app: FastifySignInInstance) => Promise<void> {
  checkOptions(options, 'signedIn', 'ended', 'signedOut');
  const { signedIn, ended = goToEnd, signedOut } = options;
  const signIn = new SignIn(options);
  const lead = (
    step: Exclude<Step, { readonly answer: Response }>,
    request: Request,
    reply: Reply,
  ): unknown => {
    if ('token' in step) return signedIn(step.token, request, reply);
    if ('end' in step) return ended(step.end, request, reply);
    return signedOut?.(request, reply);
  };
  const handle = async (request: Request, reply: Reply): Promise<unknown> => {
    const { method, url, headers, body, ip } = request;
    const step = await signIn.step({
      method,
      url,
      header: (name) => headers[name]?.toString(),
      form: async () => formOf(body),
      address: ip,
    });
    if (step === null) return reply.callNotFound();
    if ('answer' in step) return reply.send(step.answer);
    for (const cookie of step.cookies) reply.header('set-cookie', cookie);
    const payload = await lead(step, request, reply);
    // The application may answer later, as by the callback of its session's library.
    return payload === undefined ? reply : payload;
  };
  return async (instance) => {
    const app: Instance = instance;
    // Another plugin of the application may read forms already.
    if (!app.hasContentTypeParser(FORM_TYPE)) app.addContentTypeParser(FORM_TYPE, PARSER, parse);
    app.all(`${signIn.path}/*`, handle);
  };
}

const PARSER = { parseAs: 'string', bodyLimit: MOST_FORM_BYTES };

function parse(_request: unknown, body: string, done: (error: null, body: string) => void): void {
  done(null, body);
}

function goToEnd(end: SignInEnd, _request: unknown, reply: FastifySignInReply): unknown {
  return reply.redirect(defaultEnd(end), 303);
}
