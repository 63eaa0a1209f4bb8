import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Exchanged, Session, Sessions } from '../access/sessions.ts';
import type { AddressOf, ControlOptions } from '../options.ts';
import { SessionCookie } from './session-cookie.ts';

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
