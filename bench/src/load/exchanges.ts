import type { Attempts } from './attempts.ts';
import type { Kind } from './job.ts';
import { longPollLoginFrom, loginFrom } from './login.ts';
import { cibaLogin, cibaPoll, cibaStart, codeLogin, codeSignIn } from './oidc.ts';
import {
  browserLogin,
  NUMBER,
  openidCibaLogin,
  openidCibaPoll,
  openidCibaStart,
  openidLogin,
  pushLogin,
} from './openid.ts';
import { get, member, post, statusRequest, type Exchange } from './requests.ts';

/** Gives the next request of a kind; null when no attempt is left for it. */
export type Source = () => Exchange | null;

export function sourceOf(kind: Kind, attempts: Attempts, port: number): Source {
  return SOURCES[kind](attempts, port);
}

const SOURCES: Record<Kind, (attempts: Attempts, port: number) => Source> = {
  raw: (_, port) => () => ({
    request: get('/', 'a'.repeat(64), port),
    accept: ({ status, body }) => status === 200 && member(body, 'data', 'status') === 'pending',
  }),

  start: (attempts, port) => () => start({ locale: 'ar' }, attempts, port),

  pushStart: (attempts, port) => () => start({ national_id: NUMBER, locale: 'ar' }, attempts, port),

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

  login: (attempts, port) => () => loginFrom(attempts, port),

  longPollLogin: (attempts, port) => () => longPollLoginFrom(attempts, port),

  cibaStart: (attempts, port) => () =>
    cibaStart(port, (id) => attempts.started({ id, token: '', startedAt: performance.now() })),

  cibaPoll: (attempts, port) => () => {
    const attempt = attempts.nextToPoll();
    return attempt === null ? null : cibaPoll(attempt.id, port);
  },

  cibaLogin: (attempts, port) => () => cibaLogin(attempts, port),
  codeLogin: (attempts, port) => () => codeLogin('RS256', attempts, port),
  codeLoginEs256: (attempts, port) => () => codeLogin('ES256', attempts, port),
  codeSignIn: (attempts, port) => () => codeSignIn(attempts, port),

  openidCibaStart: (attempts, port) => () =>
    openidCibaStart(port, (id) =>
      attempts.started({ id, token: '', startedAt: performance.now() }),
    ),

  openidCibaPoll: (attempts, port) => () => {
    const attempt = attempts.nextToPoll();
    return attempt === null ? null : openidCibaPoll(attempt.id, port);
  },

  openidCibaLogin: (attempts, port) => () => openidCibaLogin(attempts, port),

  browserLogin: (attempts, port) => () => browserLogin(attempts, port),

  pushLogin: (attempts, port) => () => pushLogin(attempts, port),

  openidLogin: (attempts, port) => () => openidLogin(attempts, port),
};

function start(asked: object, attempts: Attempts, port: number): Exchange {
  return {
    request: post('/start', asked, port),
    accept: ({ status, body }) => {
      const id = member(body, 'data', 'attempt_id');
      const token = member(body, 'data', 'attempt_token');
      if (status !== 200 || typeof id !== 'string' || typeof token !== 'string') return false;
      attempts.started({ id, token, startedAt: performance.now() });
      return id.length === 36 && token.length === 64;
    },
  };
}

function statusOf({ id, token }: { id: string; token: string }, port: number): Exchange {
  return {
    request: statusRequest({ id, token }, port),
    accept: ({ status, body }) =>
      status === 200 &&
      member(body, 'data', 'attempt_id') === id &&
      member(body, 'data', 'status') === 'pending',
  };
}
