import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Exchanged, Session, Sessions } from '../access/sessions.ts';
import type { AddressOf, ControlOptions } from '../options.ts';
import { SessionCookie } from './session-cookie.ts';

/** How browsers come in and go, with the cookie of a session. */
export class Door {
  readonly #sessions: Sessions;
  readonly #cookie: SessionCookie;
  readonly #addressOf: AddressOf;

  constructor({ sessions, control, addressOf }: ControlOptions) {
    this.#sessions = sessions;
    this.#cookie = new SessionCookie(control.publicUrl);
    this.#addressOf = addressOf;
  }

  /** Whether the request is of a session. The answer is ended with it. */
  admit(request: FastifyRequest, { raw }: FastifyReply): boolean {
    const session = this.#sessionOf(request);
    if (session === null) return false;
    session.add(raw);
    raw.once('close', () => session.delete(raw));
    return true;
  }

  /** Exchanges a code for a session, whose cookie goes with the answer. */
  enter(request: FastifyRequest, reply: FastifyReply, code: string): Exchanged {
    const exchanged = this.#sessions.exchange(code, this.#addressOf(request));
    if (exchanged.ok) this.#cookie.set(reply, exchanged.secret);
    return exchanged;
  }

  leave(request: FastifyRequest, reply: FastifyReply): void {
    const secret = this.#cookie.read(request);
    this.#sessionOf(request)?.delete(reply.raw);
    if (secret !== null) this.#sessions.end(secret);
    this.#cookie.clear(reply);
  }

  /** All browsers have to come in again but the one that asks for it. */
  endOthers(request: FastifyRequest): void {
    this.#sessions.endOthers(this.#sessionOf(request));
  }

  #sessionOf(request: FastifyRequest): Session | null {
    const secret = this.#cookie.read(request);
    return secret === null ? null : this.#sessions.find(secret);
  }
}
