import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_LIFETIME_MS } from '../access/sessions.ts';

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
