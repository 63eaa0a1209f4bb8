/** Builds requests as text, and checks answers. */
import type { Attempt } from './attempts.ts';
import type { Answer } from './connection.ts';

const API = '/api/v1';
const TOKEN_HEADER = 'X-Provider-Attempt-Token';

export interface Exchange {
  readonly request: string;
  /** Whether the answer is right; also records the values in it. */
  readonly accept: (answer: Answer) => boolean;
  /**
   * A long poll that this request ends: sent before it on a second connection of the caller, and
   * its answer is awaited too.
   */
  readonly longPoll?: Pick<Exchange, 'request' | 'accept'>;
  /** The next request of the same caller, if a piece of work has several. */
  readonly next?: () => Exchange | null;
}

export function statusRequest({ id, token }: { id: string; token: string }, port: number): string {
  return get(`${API}/status/${id}`, token, port);
}

/** It is answered when the attempt is no longer pending. */
export function longPollRequest(
  { id, token }: Pick<Attempt, 'id' | 'token'>,
  port: number,
): string {
  return get(`${API}/status/${id}?wait=25`, token, port);
}

/** Its answer is a stream of events. */
export function streamRequest({ id, token }: Pick<Attempt, 'id' | 'token'>, port: number): string {
  return get(`${API}/status/${id}/events`, token, port);
}

export function get(path: string, token: string, port: number): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${TOKEN_HEADER}: ${token}\r\n\r\n`;
}

export function post(path: string, body: object, port: number): string {
  return json(API + path, body, port);
}

export function json(path: string, body: object, port: number): string {
  const text = JSON.stringify(body);
  return (
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
  );
}

export function member(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}
