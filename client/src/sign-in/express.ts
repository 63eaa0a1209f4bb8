import type { ApiToken } from '../types.ts';
import { formOf, readForm } from './form.ts';
import { checkOptions, type SignInOptions } from './options.ts';
import { defaultEnd, SignIn, type SignInEnd } from './steps.ts';

export type { Locale } from './cookie.ts';
export type { SignInOptions } from './options.ts';
export type { SignInEnd } from './steps.ts';
export type { Waiting } from './waiting-page.ts';

/** What is used of a request of Express, or of `node:http`. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly originalUrl?: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
  readonly ip?: string | undefined;
  readonly readableEnded: boolean;
}

/** What is used of an answer of Express, or of `node:http`. */
export interface NodeResponse {
  appendHeader(name: string, value: string): unknown;
  writeHead(status: number, headers: Record<string, string>): unknown;
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  once(event: 'close' | 'drain', listener: () => void): unknown;
  readonly destroyed: boolean;
}

export interface ExpressSignInOptions<Request, Answer> extends SignInOptions {
  /** Who has signed in. Begin a session with a new id here, and lead on. */
  readonly signedIn: (token: ApiToken, request: Request, response: Answer) => unknown;
  /** Where nobody has; without it the browser goes to `/?sign_in=` and the outcome. */
  readonly ended?: (end: SignInEnd, request: Request, response: Answer) => unknown;
  /** After `POST sign-in/out`: end the session here, and lead on. Without it there is no such address. */
  readonly signedOut?: (request: Request, response: Answer) => unknown;
  /** Where the person is, for the limits of the service; by default what Express says. */
  readonly addressOf?: (request: Request) => string | undefined;
}

/**
 * A sign-in for Express, Connect and `node:http`. With `trust proxy` Express says where the person is.
 * @returns a middleware; it passes on every request that is none of the sign-in's
 * @throws TypeError for an option that is missing, wrong or unknown
 */
export function signInForExpress<Request extends NodeRequest, Answer extends NodeResponse>(
  options: ExpressSignInOptions<Request, Answer>,
): (request: Request, response: Answer, next: (error?: unknown) => void) => Promise<void> {
  checkOptions(options);
  const { signedIn, ended = goToEnd, signedOut, addressOf = ({ ip }) => ip } = options;
  const signIn = new SignIn(options);
  const answer = async (request: Request, response: Answer): Promise<boolean> => {
    const { method = '', headers } = request;
    const step = await signIn.step({
      method,
      url: request.originalUrl ?? request.url ?? '',
      header: (name) => headers[name]?.toString(),
      // Some readers of other kinds leave an empty object where they have read nothing.
      form: async () =>
        request.readableEnded && request.body !== undefined
          ? formOf(request.body)
          : readForm(request),
      address: addressOf(request),
    });
    if (step === null) return false;
    if ('answer' in step) await send(step.answer, response);
    else {
      for (const cookie of step.cookies) response.appendHeader('set-cookie', cookie);
      if ('token' in step) await signedIn(step.token, request, response);
      else if ('end' in step) await ended(step.end, request, response);
      else await signedOut?.(request, response);
    }
    return true;
  };
  return async (request, response, next) => {
    let isAnswered: boolean;
    try {
      isAnswered = await answer(request, response);
    } catch (error) {
      return next(error);
    }
    return isAnswered ? undefined : next();
  };
}

function goToEnd(end: SignInEnd, _request: unknown, response: NodeResponse): void {
  response.writeHead(303, { location: defaultEnd(end) });
  response.end();
}

/** Writes no faster than the browser reads, and ends a stream of events when its page is gone. */
async function send({ status, headers, body }: Response, response: NodeResponse): Promise<void> {
  const reader = body?.getReader();
  if (response.destroyed) return reader?.cancel();
  // Each is a line of its own, which an object of headers can't have.
  for (const cookie of headers.getSetCookie()) response.appendHeader('set-cookie', cookie);
  headers.delete('set-cookie');
  response.writeHead(status, Object.fromEntries(headers));
  let waiting: (() => void) | undefined;
  response.once('close', () => {
    waiting?.();
    reader?.cancel().catch(() => undefined);
  });
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    if (response.write(read.value)) continue;
    await new Promise<void>((resolve) => {
      waiting = resolve;
      response.once('drain', resolve);
    });
  }
  response.end();
}
