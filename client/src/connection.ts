import { MiftahError, ownFailure, unreached } from './error.ts';
import { limited } from './platform.ts';
import type { Problem } from './types.ts';
import { fromWire, has, memberOf, present, textOf } from './wire.ts';

/** Longer than the service waits for its provider at a start. */
const CALL_LIMIT_MS = 30_000;

export interface Connection {
  /** Without a slash at its end. */
  readonly base: string;
  readonly clientKey: string | undefined;
  readonly fetch: typeof fetch;
  /** The header `Date` of the last answer: the clock of the service. */
  date?: string | null;
}

export interface Call {
  /** Below the base address. */
  readonly path: string;
  readonly method?: 'POST' | 'DELETE';
  /** Members that are undefined are not sent, here and in the headers. */
  readonly body?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** For `Authorization: Bearer`. */
  readonly bearer?: string | undefined;
  readonly signal?: AbortSignal;
  readonly limitMs?: number | undefined;
}

/**
 * Sends a request and reads its whole answer.
 * @returns the body in camel case; undefined where there is none
 * @throws MiftahError
 */
export async function send(connection: Connection, call: Call): Promise<unknown> {
  return limited(call.limitMs ?? CALL_LIMIT_MS, call.signal, async (signal) => {
    const response = await open(connection, { ...call, signal });
    const text = await response.text();
    if (text === '') return undefined;
    const answer = fromWire(jsonOf(text));
    if (!answer) throw foreign(response);
    return answer;
  });
}

/**
 * Sends a request whose answer has its members in `data`.
 * @throws MiftahError, also for an answer without these members
 */
export async function ask<Data extends object>(
  connection: Connection,
  call: Call,
  ...members: readonly (keyof Data & string)[]
): Promise<Data> {
  return checked<Data>(memberOf(await send(connection, call), 'data'), ...members);
}

/** @throws MiftahError for a value without these members, which is no answer of the service */
export function checked<Data extends object>(
  value: unknown,
  ...members: readonly (keyof Data & string)[]
): Data {
  if (!has<Data>(value, ...members)) throw foreign();
  return value;
}

/**
 * Sends a request. A redirect is not followed: no answer of the API is one, and the attempt token
 * would be sent on to another host.
 * @throws MiftahError for an answer that is no success
 */
export async function open(connection: Connection, call: Call): Promise<Response> {
  const { path, method = 'GET', body, headers, bearer, signal } = call;
  // Not as a method: a browser's fetch refuses any other `this` than its own.
  const { base, fetch: request } = connection;
  const asked = request(base + path, {
    method,
    redirect: 'manual',
    headers: present({
      accept: 'application/json',
      authorization: bearer && `Bearer ${bearer}`,
      'content-type': body && 'application/json',
      ...headers,
    }),
    body: body ? JSON.stringify(body) : null,
    signal: signal ?? null,
  });
  const response = await asked.catch((error: unknown) => {
    throw unreached(`${new URL(base).origin} was not reached`, error);
  });
  connection.date = response.headers.get('date');
  if (response.ok) return response;
  throw failureOf(response, await response.text());
}

function failureOf(response: Response, text: string): MiftahError {
  const problem = fromWire(jsonOf(text));
  const code = textOf(problem, 'code');
  if (!code || !has<Problem>(problem, 'code')) return foreign(response);
  return new MiftahError({
    code,
    status: response.status,
    detail: textOf(problem, 'detail') ?? code,
    remedy: textOf(problem, 'remedy'),
    requestId: textOf(problem, 'requestId'),
    retryAfter: secondsOf(response),
    problem,
  });
}

/** Something between here and the service has answered, or the address is of something else. */
export function foreign(response?: Response): MiftahError {
  return ownFailure('client.network', `${response?.url ?? 'The answer'} is of no Miftah service.`, {
    status: response?.status,
    retryAfter: response && secondsOf(response),
  });
}

/** `Retry-After` in seconds. Its other form is a time, which this side has no clock for. */
function secondsOf({ headers }: Response): number | undefined {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,5}$/.test(text) ? Number(text) : undefined;
}

/** @returns undefined for a text that is no JSON */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
