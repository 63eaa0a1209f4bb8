import { nothing, object, openObject, string, union } from '@miftah/schema';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  SESSION_LIFETIME_MS,
  type Exchanged,
  type Session,
  type Sessions,
} from '../access/sessions.ts';
import type { AddressOf, ControlOptions } from '../options.ts';
import { isLoopbackName } from '../http/host-name.ts';
import { isoTimestamp } from '../http/timestamp.ts';
import type { TypedApp } from '../http/type-provider.ts';
import { ControlError } from './errors.ts';
import { NoBody } from './wire.ts';

const text = string();
const CODE_MAX = 64;

export const SessionCodeAnswer = openObject(
  {
    data: openObject({
      code: text,
      expires_at: text,
      /** The page of the phone, for another machine; null if none can reach this instance. */
      phone_url: union(text, nothing()),
    }),
  },
  { description: 'A new code, and where a phone uses it.' },
);

const SessionBody = object({ code: string({ minLength: 1, maxLength: CODE_MAX }) });

const SessionAnswer = openObject(
  { data: openObject({ expires_at: text }) },
  { description: 'The session, whose cookie comes with this answer.' },
);

const MAX_AGE_SECONDS = SESSION_LIFETIME_MS / 1000;

/**
 * The cookie of a session. Over https it is bound to this host (`__Host-`, RFC 6265bis section
 * 4.1.3.2), so that no other host of the domain can set it. Browsers refuse that name, and Secure,
 * over http: there the cookie has the port in its name, because it is sent to all ports of the host.
 */
export class SessionCookie {
  readonly #name: string;
  readonly #attributes: string;

  constructor(publicUrl: string) {
    const isSecure = new URL(publicUrl).protocol === 'https:';
    this.#name = SessionCookie.nameAt(publicUrl);
    const where = isSecure ? 'Path=/; Secure' : 'Path=/simulator';
    this.#attributes = `${where}; HttpOnly; SameSite=Strict`;
  }

  static nameAt(publicUrl: string): string {
    const { protocol, port } = new URL(publicUrl);
    return protocol === 'https:' ? '__Host-miftah_simulator' : `miftah_simulator_${port || '80'}`;
  }

  /** Null if it is not sent, or sent twice: another host may then have set one of them. */
  read({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
    const prefix = `${this.#name}=`;
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.replace(/^ /, ''));
    const values = pairs.filter((pair) => pair.startsWith(prefix));
    const [value = ''] = values;
    return values.length === 1 ? value.slice(prefix.length) : null;
  }

  set(reply: FastifyReply, secret: string): void {
    reply.header(
      'Set-Cookie',
      `${this.#name}=${secret}; Max-Age=${MAX_AGE_SECONDS}; ${this.#attributes}`,
    );
  }

  clear(reply: FastifyReply): void {
    reply.header('Set-Cookie', `${this.#name}=; Max-Age=0; ${this.#attributes}`);
  }
}

/** The sessions of browsers at the control API: begun, recognised and ended by a cookie. */
export class BrowserSessions {
  readonly #sessions: Sessions;
  readonly #cookie: SessionCookie;
  readonly #addressOf: AddressOf;

  constructor({ sessions, control, addressOf }: ControlOptions) {
    this.#sessions = sessions;
    this.#cookie = new SessionCookie(control.publicUrl);
    this.#addressOf = addressOf;
  }

  /** Whether the request has the cookie of a session. Its answer ends when the session does. */
  accept(request: FastifyRequest, { raw }: FastifyReply): boolean {
    const session = this.#sessionOf(request);
    if (session === null) return false;
    session.add(raw);
    raw.once('close', () => session.delete(raw));
    return true;
  }

  /** Exchanges a code for a session, whose cookie goes with the answer. */
  begin(request: FastifyRequest, reply: FastifyReply, code: string): Exchanged {
    const exchanged = this.#sessions.exchange(code, this.#addressOf(request));
    if (exchanged.ok) this.#cookie.set(reply, exchanged.secret);
    return exchanged;
  }

  end(request: FastifyRequest, reply: FastifyReply): void {
    const secret = this.#cookie.read(request);
    this.#sessionOf(request)?.delete(reply.raw);
    if (secret !== null) this.#sessions.end(secret);
    this.#cookie.clear(reply);
  }

  /** Ends all sessions but that of the request. */
  endOthers(request: FastifyRequest): void {
    this.#sessions.endOthers(this.#sessionOf(request));
  }

  #sessionOf(request: FastifyRequest): Session | null {
    const secret = this.#cookie.read(request);
    return secret === null ? null : this.#sessions.find(secret);
  }
}

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
