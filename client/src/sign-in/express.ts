import type { ApiToken } from '../types.ts';
import { stepAtNode, type NodeRequest, type NodeResponse } from './node.ts';
import { checkOptions, type SignInOptions } from './options.ts';
import { defaultEnd, SignIn, type SignInEnd } from './steps.ts';

export type { Locale } from './cookie.ts';
export type { SignInOptions } from './options.ts';
export type { SignInEnd } from './steps.ts';
export type { NodeRequest, NodeResponse } from './node.ts';
export type { Waiting } from './waiting-page.ts';

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
  checkOptions(options, 'signedIn', 'ended', 'signedOut', 'addressOf');
  const { signedIn, ended = goToEnd, signedOut, addressOf = ({ ip }) => ip } = options;
  const signIn = new SignIn(options);
  const answer = async (request: Request, response: Answer): Promise<boolean> => {
    const step = await stepAtNode(signIn, request, response, addressOf(request));
    if (step === null) return false;
    if (step === 'answered') return true;
    if ('token' in step) await signedIn(step.token, request, response);
    else if ('end' in step) await ended(step.end, request, response);
    else await signedOut?.(request, response);
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
