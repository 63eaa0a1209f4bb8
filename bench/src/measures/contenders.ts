import { requestsOf, type Stream } from '../load/job.ts';
import type { ServerName } from './servers.ts';

export type ContenderId =
  | 'raw'
  | 'rawLogged'
  | 'fastify'
  | 'fastifyLogged'
  | 'startMemory'
  | 'startSingleCommits'
  | 'start'
  | 'status'
  | 'status1'
  | 'status8'
  | 'status512'
  | 'statusBesideStarts'
  | 'complete'
  | 'token'
  | 'login'
  | 'loginPaced'
  | 'loginLongPoll'
  | 'loginLongPollPaced'
  | 'startAsStarted'
  | 'statusAsStarted'
  | 'loginPacedAsStarted'
  | 'cibaStartMemory'
  | 'cibaPollMemory'
  | 'cibaLoginMemory'
  | 'codeLoginMemory'
  | 'cibaStart'
  | 'cibaPoll'
  | 'cibaLogin'
  | 'codeLogin'
  | 'codeLoginEs256'
  | 'openidCibaStart'
  | 'openidCibaPoll'
  | 'openidCibaLogin'
  | 'openidLogin';

export interface Contender {
  readonly id: ContenderId;
  readonly name: string;
  readonly server: ServerName;
  /** They run at the same time; the first one is measured. */
  readonly streams: readonly Stream[];
  /** The number of requests of one piece of work; rates and CPU are per piece. */
  readonly requests: number;
}

/** The default number of connections. */
export const CONNECTIONS = 64;

/** Callers with pauses: about 800 requests, or 100 logins, per second. */
const PACED: Stream = { kind: 'login', connections: 32, pauseMs: 40 };

/**
 * In the order of a round. On one server they follow the life of an attempt, so that each contender
 * finds attempts in the state that the previous one has produced.
 */
export const CONTENDERS: readonly Contender[] = [
  one('raw', 'raw node:http GET', 'raw', 'raw'),
  one('rawLogged', 'raw, with a log line', 'rawLogged', 'raw'),
  one('fastify', 'Fastify alone', 'fastify', 'raw'),
  one('fastifyLogged', 'Fastify alone, with a log line', 'fastifyLogged', 'raw'),
  one('startMemory', 'start, memory store', 'memory', 'start'),
  one('startSingleCommits', 'start, SQLite, a commit each', 'singleCommits', 'start'),
  one('start', 'start, SQLite', 'sqlite', 'start'),
  one('status', 'status, SQLite', 'sqlite', 'status'),
  one('status1', 'status, 1 connection', 'sqlite', 'status', 1),
  one('status8', 'status, 8 connections', 'sqlite', 'status', 8),
  one('status512', 'status, 512 connections', 'sqlite', 'status', 512),
  {
    ...one('statusBesideStarts', 'status beside starts', 'sqlite', 'status'),
    streams: [
      { kind: 'status', connections: CONNECTIONS },
      { kind: 'start', connections: CONNECTIONS },
    ],
  },
  one('complete', 'complete, SQLite', 'sqlite', 'complete'),
  one('token', 'token, SQLite', 'sqlite', 'token'),
  one('login', 'a whole login, SQLite', 'sqlite', 'login'),
  {
    ...one('loginPaced', 'a whole login, 32 callers who pause', 'sqlite', 'login'),
    streams: [PACED],
  },
  one('loginLongPoll', 'a whole login by long poll, SQLite', 'sqlite', 'longPollLogin'),
  {
    ...one(
      'loginLongPollPaced',
      'a whole login by long poll, 32 callers who pause',
      'sqlite',
      'longPollLogin',
    ),
    streams: [{ ...PACED, kind: 'longPollLogin' }],
  },
  one('startAsStarted', 'start, as npm start runs', 'asStarted', 'start'),
  one('statusAsStarted', 'status, as npm start runs', 'asStarted', 'status'),
  {
    ...one(
      'loginPacedAsStarted',
      'a whole login, 32 callers who pause, as npm start runs',
      'asStarted',
      'login',
    ),
    streams: [PACED],
  },
  one('cibaStartMemory', 'oidc-provider, CIBA start, memory', 'oidcMemory', 'cibaStart'),
  one('cibaPollMemory', 'oidc-provider, CIBA poll, memory', 'oidcMemory', 'cibaPoll'),
  one('cibaLoginMemory', 'oidc-provider, CIBA login, memory', 'oidcMemory', 'cibaLogin'),
  one('codeLoginMemory', 'oidc-provider, code login, memory', 'oidcMemory', 'codeLogin'),
  one('cibaStart', 'oidc-provider, CIBA start, SQLite', 'oidcSqlite', 'cibaStart'),
  one('cibaPoll', 'oidc-provider, CIBA poll, SQLite', 'oidcSqlite', 'cibaPoll'),
  one('cibaLogin', 'oidc-provider, CIBA login, SQLite', 'oidcSqlite', 'cibaLogin'),
  one('codeLogin', 'oidc-provider, code login, SQLite', 'oidcSqlite', 'codeLogin'),
  one('codeLoginEs256', 'oidc-provider, code login, SQLite, ES256', 'oidcSqlite', 'codeLoginEs256'),
  one('openidCibaStart', 'OPENID=on, CIBA start, SQLite', 'openid', 'openidCibaStart'),
  one('openidCibaPoll', 'OPENID=on, CIBA poll, SQLite', 'openid', 'openidCibaPoll'),
  one('openidCibaLogin', 'OPENID=on, CIBA login, SQLite', 'openid', 'openidCibaLogin'),
  one('openidLogin', 'OPENID=on, code login, SQLite', 'openid', 'openidLogin'),
];

function one(
  id: ContenderId,
  name: string,
  server: ServerName,
  kind: Stream['kind'],
  connections = CONNECTIONS,
): Contender {
  return { id, name, server, streams: [{ kind, connections }], requests: requestsOf(kind) };
}
