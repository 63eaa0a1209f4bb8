import type { FastifyReply } from 'fastify';
import { isLoopbackName } from '../http/host-name.ts';
import { isoTimestamp } from '../http/timestamp.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { ControlOptions } from '../options.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { ControlError } from './errors.ts';
import { SessionAnswer, SessionBody, SessionCodeAnswer } from './session-wire.ts';
import { NoBody } from './wire.ts';

const CODE_TAKES = 'The body is {}, or there is none.';
const SESSION_TAKES =
  'The body is {"code":"..."} with a code of POST /simulator/session-codes, or of the address that ' +
  'was shown at the start.';

/** POST /simulator/session-codes: a code with which one more browser begins a session, as on a phone. */
export function createSessionCode(app: TypedApp, { sessions, control }: ControlOptions): void {
  const { publicUrl } = control;
  const isReached = !isLoopbackName(new URL(publicUrl).hostname);
  const phoneUrl = isReached ? `${publicUrl}/simulator/phone` : null;
  const schema = {
    operationId: 'createSessionCode',
    summary: 'A code that lets one browser in, once',
    body: NoBody,
    response: { 201: SessionCodeAnswer },
  };
  app.post('/session-codes', { schema, config: { takes: CODE_TAKES } }, (_request, reply) => {
    reply.code(201);
    const { code, expiresAt } = sessions.issueCode();
    return { data: { code, expires_at: isoTimestamp(expiresAt), phone_url: phoneUrl } };
  });
}

/** POST /simulator/session: exchanges a code for the cookie of a session. */
export function beginSession(app: TypedApp, browserSessions: BrowserSessions): void {
  const schema = {
    operationId: 'beginSession',
    summary: 'Exchange a code for a cookie that counts as the token',
    body: SessionBody,
    response: { 201: SessionAnswer },
  };
  const refuses = ['session.code_refused', 'session.code_limit_reached'] as const;
  const config = { takes: SESSION_TAKES, beginsSession: true, refuses };
  app.post('/session', { schema, config }, (request, reply) => {
    const exchanged = browserSessions.begin(request, reply, request.body.code);
    if (!exchanged.ok) throw refusalOf(exchanged.waitMs, reply);
    reply.code(201);
    return { data: { expires_at: isoTimestamp(exchanged.expiresAt) } };
  });
}

/** DELETE /simulator/session: ends the session of this browser. */
export function endSession(app: TypedApp, browserSessions: BrowserSessions): void {
  const schema = {
    operationId: 'endSession',
    summary: 'End the session of the cookie',
    response: { 204: { type: 'null', description: 'The session has ended.' } },
  } as const;
  app.delete('/session', { schema }, (request, reply) => {
    browserSessions.end(request, reply);
    return reply.code(204).send();
  });
}

function refusalOf(waitMs: number, reply: FastifyReply): ControlError {
  if (waitMs === 0) return new ControlError('session.code_refused');
  reply.header('Retry-After', Math.ceil(waitMs / 1000));
  return new ControlError('session.code_limit_reached');
}
