/** The client of the control API that the console, `miftah/testing` and the command line share. */
import { CONTROL_OPERATIONS, type ControlAnswers, type ControlOperation } from './control.ts';
import { textUpTo } from './text-up-to.ts';

/** Longer than `GET /simulator/wait` waits. */
export const CONTROL_LIMIT_MS = 40_000;
/** More than the largest answer: a thousand people with the longest names are about 3 MB. */
const LIMIT_BYTES = 32 * 1024 * 1024;

export interface ControlAccess {
  /** Where the instance is: `http://127.0.0.1:3000`; empty in a page of it. */
  readonly origin: string;
  /** Null: the scope `default`. */
  readonly scope: string | null;
  /** `SIMULATOR_TOKEN` of the instance; null where it asks for none. */
  readonly token: string | null;
  readonly fetch?: typeof fetch;
}

export interface ControlCall {
  /** In the path. */
  readonly id?: string;
  /** Members that are undefined are not sent, here and in the body. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** A text is JSON already. */
  readonly body?: unknown;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

/** What is wrong with one member of what was sent: a JSON pointer, and what is allowed there. */
export type Violation = { readonly pointer: string; readonly message: string };

type Problem = Readonly<Record<string, unknown>>;

/**
 * The control API has refused a call, or nothing answers as it does. The message says what is wrong
 * and what to do; `problem` has the two apart.
 */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly asked: string;
  /** Null: there was no answer, and `cause` says why; a RangeError for one that does not end. */
  readonly status: number | null;
  /** Of the catalogue, for example `prompt.ended`; null where something else answers. */
  readonly code: string | null;
  /** Empty where the simulator names no members. */
  readonly violations: readonly Violation[];
  readonly headers: Headers;
  /** What else stands in the answer. */
  readonly problem: Problem;

  /** @param asked the method and the path @param said the JSON of the answer, whatever it is */
  constructor(asked: string, answer: Response | null, said: unknown, cause?: unknown) {
    const problem = isObject(said) ? said : {};
    const { message, remedy, code, violations } = problem;
    super([message, remedy].filter((one) => typeof one === 'string').join(' '), { cause });
    this.asked = asked;
    this.status = answer?.status ?? null;
    this.code = typeof code === 'string' && code !== '' ? code : null;
    this.violations = Array.isArray(violations) ? violations.filter(isViolation) : [];
    this.headers = answer?.headers ?? new Headers();
    this.problem = problem;
    // What shows an error with all its members would repeat the message for each of them.
    for (const name of ['violations', 'headers', 'problem']) {
      Object.defineProperty(this, name, { enumerable: false });
    }
  }
}

/**
 * Calls an operation of the control API.
 * @returns the member `data` of the answer; null for an answer without a body
 * @throws ControlError
 */
export async function callControl<Id extends ControlOperation>(
  { origin, fetch: ask = fetch, ...proof }: ControlAccess,
  operation: Id,
  { id = '', query = {}, body, signal }: ControlCall = {},
): Promise<ControlAnswers[Id]> {
  const { method, path } = CONTROL_OPERATIONS[operation];
  const target = path.replace('{id}', encodeURIComponent(id)) + searchOf(query);
  const options = {
    method,
    // The token would be sent on to another host.
    redirect: 'manual',
    headers: controlHeaders(proof, body !== undefined),
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  } as const;
  let [answer, said]: [Response | null, unknown] = [null, null];
  try {
    answer = await ask(origin + target, options);
    said = jsonOf(await textOf(answer), answer.ok);
  } catch (error) {
    throw new ControlError(`${method} ${target}`, null, null, error);
  }
  if (answer.ok && isAnswer(operation, said)) return said.data;
  throw new ControlError(`${method} ${target}`, answer, said);
}

/** What Node's `fetch` fails with where a server of HTTP is greeted in TLS, and the other way round. */
const OTHER_SCHEME = new Map([
  ['ERR_SSL_WRONG_VERSION_NUMBER', { asked: /^https:/, meant: 'http:' }],
  ['UND_ERR_SOCKET', { asked: /^http:/, meant: 'https:' }],
]);

/**
 * Where an instance may be after all, when a call has failed as it does for the wrong scheme.
 * @param error that `fetch` has thrown
 */
export function otherScheme(origin: string, error: unknown): string | null {
  const { asked, meant } = OTHER_SCHEME.get(codeOfFailure(error)) ?? {};
  return asked?.test(origin) === true ? origin.replace(asked, meant ?? '') : null;
}

/** Such as ECONNREFUSED; empty where there is none. @param error that `fetch` has thrown */
export function codeOfFailure(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  return isObject(cause) && typeof cause['code'] === 'string' ? cause['code'] : '';
}

function searchOf(query: NonNullable<ControlCall['query']>): string {
  const members = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return members.length === 0 ? '' : `?${new URLSearchParams(members).toString()}`;
}

/** What says whose part of the instance a call is about, and that the caller may send it. */
export function controlHeaders(
  { scope, token }: Pick<ControlAccess, 'scope' | 'token'>,
  hasBody = false,
): Record<string, string> {
  return {
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    ...(scope === null ? {} : { 'x-miftah-scope': scope }),
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
}

/** The body, up to a size that an instance never needs. @throws RangeError for a larger one */
async function textOf(answer: Response): Promise<string> {
  const text = await textUpTo(answer, LIMIT_BYTES);
  if (text === null) throw new RangeError('the answer has more than 32 MB');
  return text;
}

function jsonOf(text: string, isOk: boolean): unknown {
  if (isOk && text === '') return { data: null };
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isAnswer<Id extends ControlOperation>(
  _: Id,
  said: unknown,
): said is { readonly data: ControlAnswers[Id] } {
  return isObject(said) && 'data' in said;
}

const isObject = (value: unknown): value is Problem => typeof value === 'object' && value !== null;

const isViolation = (one: unknown): one is Violation => isObject(one) && 'pointer' in one;
