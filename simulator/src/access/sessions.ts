import type { Clock, Ms, Random } from '../engine/ports.ts';
import { SecretShelf } from './secret-shelf.ts';
import { WrongCodes } from './wrong-codes.ts';

/** How long a code can be exchanged: the time in which somebody takes a phone out and scans it. */
const CODE_LIFETIME_MS: Ms = 2 * 60_000;
const MOST_CODES = 32;
const CODE_BYTES = 16;

/** A working day. */
export const SESSION_LIFETIME_MS: Ms = 12 * 60 * 60_000;
const MOST_SESSIONS = 64;
const SECRET_BYTES = 32;

/** A browser that may use the control API, with the answers that it is getting now. */
export type Session = Set<{ destroy(): unknown }>;

export interface OneTimeCode {
  /** 22 characters of base64url. */
  readonly code: string;
  readonly expiresAt: Ms;
}

export type Exchanged =
  | { readonly ok: true; readonly secret: string; readonly expiresAt: Ms }
  /**
   * The code was used, is too old, or never was one, and nothing tells which. Not 0: there were too
   * many wrong ones, and wrong ones get this answer for so long.
   */
  | { readonly ok: false; readonly waitMs: Ms };

/**
 * Lets browsers in without the simulator's token: whoever is in already gets a code, and the browser
 * that sends it first gets a secret to keep in a cookie. All is in memory and ends with the process.
 */
export class Sessions {
  readonly #random: Random;
  readonly #codes: SecretShelf<object>;
  readonly #sessions: SecretShelf<Session>;
  readonly #wrong: WrongCodes;

  /** @param clock the one whose time answers tell: they also tell when a code expires */
  constructor(clock: Clock, random: Random) {
    this.#random = random;
    this.#codes = new SecretShelf(clock, { lifetimeMs: CODE_LIFETIME_MS, most: MOST_CODES });
    this.#sessions = new SecretShelf(clock, {
      lifetimeMs: SESSION_LIFETIME_MS,
      most: MOST_SESSIONS,
    });
    this.#wrong = new WrongCodes(clock);
  }

  issueCode(): OneTimeCode {
    const code = this.#secret(CODE_BYTES);
    return { code, expiresAt: this.#codes.add(code, {}).until };
  }

  /** @param address of who sends it, for the limit of wrong codes */
  exchange(code: string, address: string): Exchanged {
    // The right code is taken at any time: it can't be guessed, and others can't keep its owner out.
    if (this.#codes.take(code) === null) return this.#refuse(address);
    const secret = this.#secret(SECRET_BYTES);
    const { until, forgotten } = this.#sessions.add(secret, new Set());
    for (const session of forgotten) endAnswers(session);
    return { ok: true, secret, expiresAt: until };
  }

  #refuse(address: string): Exchanged {
    const waitMs = this.#wrong.waitMs(address);
    if (waitMs === 0) this.#wrong.count(address);
    return { ok: false, waitMs };
  }

  find(secret: string): Session | null {
    return this.#sessions.find(secret);
  }

  end(secret: string): void {
    const session = this.#sessions.take(secret);
    if (session !== null) endAnswers(session);
  }

  /** Ends all codes, and all sessions but that of who asks for it. */
  endOthers(own: Session | null): void {
    this.#codes.clear();
    for (const session of this.#sessions.clear(own)) endAnswers(session);
  }

  #secret(bytes: number): string {
    return Buffer.from(this.#random.bytes(bytes)).toString('base64url');
  }
}

/** A stream would go on for as long as the page is open. */
function endAnswers(session: Session): void {
  for (const answer of session) answer.destroy();
  session.clear();
}
