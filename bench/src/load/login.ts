import type { Attempt, Attempts } from './attempts.ts';
import { longPollRequest, member, post, statusRequest, type Exchange } from './requests.ts';

const POLLS = 5;

/** The requests of an application for one person: start, polls, completion, token. */
export function loginFrom(attempts: Attempts, port: number): Exchange {
  return startOf(port, (attempt) => pollOf(attempt, POLLS, attempts, port));
}

/** The same with one long poll in place of the polls. */
export function longPollLoginFrom(attempts: Attempts, port: number): Exchange {
  return startOf(port, (attempt) => ({
    ...completionOf(attempt, attempts, port),
    longPoll: {
      request: longPollRequest(attempt, port),
      accept: ({ status, body }) =>
        status === 200 && member(body, 'data', 'status') === 'authenticated',
    },
  }));
}

function startOf(port: number, next: (attempt: Attempt) => Exchange): Exchange {
  let attempt: Attempt | null = null;
  return {
    request: post('/start', { locale: 'ar' }, port),
    accept: ({ status, body }) => {
      const id = member(body, 'data', 'attempt_id');
      const token = member(body, 'data', 'attempt_token');
      if (status !== 200 || typeof id !== 'string' || typeof token !== 'string') return false;
      attempt = { id, token, startedAt: performance.now() };
      return id.length === 36 && token.length === 64;
    },
    next: () => (attempt === null ? null : next(attempt)),
  };
}

function pollOf(attempt: Attempt, left: number, attempts: Attempts, port: number): Exchange {
  return {
    request: statusRequest(attempt, port),
    accept: ({ status, body }) => status === 200 && member(body, 'data', 'status') === 'pending',
    next: () =>
      left > 1 ? pollOf(attempt, left - 1, attempts, port) : completionOf(attempt, attempts, port),
  };
}

function completionOf(attempt: Attempt, attempts: Attempts, port: number): Exchange {
  return {
    request: post('/callback', { state: attempt.id, auto_complete: true }, port),
    accept: ({ status, body }) => status === 200 && member(body, 'attempt_id') === attempt.id,
    next: () => tokenOf(attempt, attempts, port),
  };
}

function tokenOf({ id, token }: Attempt, attempts: Attempts, port: number): Exchange {
  return {
    request: post(`/token/${id}`, { attempt_token: token }, port),
    accept: ({ status, body }) => {
      attempts.count({ attempts: 1, completions: 1, tokens: 1 });
      return status === 200 && member(body, 'data', 'token_type') === 'Bearer';
    },
  };
}
