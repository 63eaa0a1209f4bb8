import type { Attempts } from './attempts.ts';
import type { Answer } from './connection.ts';
import type { Kind } from './job.ts';

const API = '/api/v1';
const TOKEN_HEADER = 'X-Provider-Attempt-Token';

export interface Exchange {
  readonly request: string;
  /** Whether the answer is the right one; takes note of what it has brought. */
  readonly accept: (answer: Answer) => boolean;
}

/** The next request of a kind; null when there is no attempt left for it. */
export type Source = () => Exchange | null;

export function sourceOf(kind: Kind, attempts: Attempts, port: number): Source {
  return SOURCES[kind](attempts, port);
}

const SOURCES: Record<Kind, (attempts: Attempts, port: number) => Source> = {
  raw: (_, port) => () => ({
    request: get('/', 'a'.repeat(64), port),
    accept: ({ status, body }) => status === 200 && member(body, 'data', 'status') === 'pending',
  }),

  start: (attempts, port) => () => ({
    request: post('/start', { locale: 'ar' }, port),
    accept: ({ status, body }) => {
      const id = member(body, 'data', 'attempt_id');
      const token = member(body, 'data', 'attempt_token');
      if (status !== 200 || typeof id !== 'string' || typeof token !== 'string') return false;
      attempts.started({ id, token, startedAt: performance.now() });
      return id.length === 36 && token.length === 64;
    },
  }),

  status: (attempts, port) => () => {
    const attempt = attempts.nextToPoll();
    return attempt === null ? null : statusOf(attempt, port);
  },

  complete: (attempts, port) => () => {
    const attempt = attempts.takePending();
    return attempt === null
      ? null
      : {
          request: post('/callback', { state: attempt.id, auto_complete: true }, port),
          accept: ({ status, body }) => {
            attempts.completed(attempt);
            return status === 200 && member(body, 'attempt_id') === attempt.id;
          },
        };
  },

  token: (attempts, port) => () => {
    const attempt = attempts.takeAuthenticated();
    return attempt === null
      ? null
      : {
          request: post(`/token/${attempt.id}`, { attempt_token: attempt.token }, port),
          accept: ({ status, body }) => {
            attempts.exchanged();
            return status === 200 && member(body, 'data', 'token_type') === 'Bearer';
          },
        };
  },
};

function statusOf({ id, token }: { id: string; token: string }, port: number): Exchange {
  return {
    request: get(`${API}/status/${id}`, token, port),
    accept: ({ status, body }) =>
      status === 200 &&
      member(body, 'data', 'attempt_id') === id &&
      member(body, 'data', 'status') === 'pending',
  };
}

function get(path: string, token: string, port: number): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${TOKEN_HEADER}: ${token}\r\n\r\n`;
}

function post(path: string, body: object, port: number): string {
  const text = JSON.stringify(body);
  return (
    `POST ${API}${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
  );
}

function member(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}
