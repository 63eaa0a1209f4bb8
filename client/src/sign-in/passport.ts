import type { MiftahError } from '../error.ts';
import type { ApiToken } from '../types.ts';
import { stepAtNode, type NodeRequest, type NodeResponse } from './node.ts';
import { checkOptions, type SignInOptions } from './options.ts';
import { SignIn, type SignInEnd } from './steps.ts';

export type { Locale } from './cookie.ts';
export type { NodeRequest, NodeResponse } from './node.ts';
export type { SignInOptions } from './options.ts';
export type { SignInEnd } from './steps.ts';
export type { Waiting } from './waiting-page.ts';

/** What is used of a request of Express. */
export interface PassportRequest extends NodeRequest {
  readonly res?: NodeResponse | undefined;
}

/** What Passport gives a strategy for each request. */
export interface PassportActions {
  success(user: object, info?: object): void;
  fail(challenge: object): void;
  error(error: unknown): void;
  pass(): void;
}

/** What Passport is told, as `info`, where nobody was signed in. */
export interface PassportFailure {
  /** The outcome, or the code of the error: what `failureMessage` keeps. */
  readonly message: string;
  readonly end: SignInEnd;
}

type Done = (error: unknown, user?: unknown, info?: object) => void;

export interface PassportSignInOptions extends SignInOptions {
  /** Finds the user of the application: `done(null, user)`. Without it that of the token is the user. */
  readonly verify?: (token: ApiToken, done: Done) => unknown;
  /** After `POST sign-in/out`: log out here, and lead on. Without it there is no such address. */
  readonly signedOut?: (request: PassportRequest, response: NodeResponse) => unknown;
  /** Where the person is, for the limits of the service; by default what Express says. */
  readonly addressOf?: (request: PassportRequest) => string | undefined;
}

export interface PassportSignIn {
  readonly name: string;
  authenticate(this: PassportActions, request: PassportRequest): Promise<void>;
}

const withUserOfToken = ({ user }: ApiToken, done: Done): void => done(null, user);

/**
 * A strategy of Passport: `passport.use(signInForPassport({ ... }))`, and then
 * `app.use(passport.authenticate('miftah', { ... }))`, which passes on every request that is none of
 * the sign-in's.
 * @throws TypeError for an option that is missing, wrong or unknown
 */
export function signInForPassport(options: PassportSignInOptions): PassportSignIn {
  checkOptions(options, 'verify', 'signedOut', 'addressOf');
  const { verify = withUserOfToken, signedOut, addressOf = ({ ip }) => ip } = options;
  const signIn = new SignIn(options);
  async function authenticate(actions: PassportActions, request: PassportRequest): Promise<void> {
    const { res: response } = request;
    if (response === undefined) throw new TypeError('The request has no `res`: use Express.');
    const step = await stepAtNode(signIn, request, response, addressOf(request));
    if (step === null) return actions.pass();
    if (step === 'answered') return;
    if ('end' in step) return tell(step.end, actions);
    if ('out' in step) return void (await signedOut?.(request, response));
    await verify(step.token, (error, user, info) => {
      if (error) actions.error(error);
      else if (typeof user === 'object' && user !== null) actions.success(user, info);
      else actions.fail(info ?? { message: 'unknown' });
    });
  }
  return {
    name: 'miftah',
    async authenticate(request) {
      await authenticate(this, request).catch((error: unknown) => this.error(error));
    },
  };
}

function tell(end: SignInEnd, actions: PassportActions): void {
  const isRefused = end.outcome === 'refused';
  if (isRefused && isFault(end.error)) return actions.error(end.error);
  const message = isRefused ? end.error.code : end.outcome;
  actions.fail({ message, end } satisfies PassportFailure);
}

/** Whether the application or the service has to be mended, and the person can do nothing about it. */
function isFault({ code, status, violations }: MiftahError): boolean {
  if (status < 400 || status >= 500 || status === 401) return true;
  return code === 'validation.failed' && !violations?.some(isNumber);
}

const isNumber = ({ pointer }: { readonly pointer: string }) => pointer === '/national_id';
