import { asFailure, MiftahError } from './error.ts';
import type {
  ApiToken,
  Attempt,
  AttemptStatus,
  Calls,
  IssueOptions,
  StartOptions,
} from './types.ts';
import { checkUse, has, START_OPTIONS } from './wire.ts';

type StoredSecret = string | null | undefined;

/**
 * Where a back end keeps a secret text for each session of a browser. A `Map` is one, for tests.
 * The id of a session is a secret of that browser and the back end.
 */
export interface SessionStore {
  get(sessionId: string): StoredSecret | Promise<StoredSecret>;
  set(sessionId: string, secret: string): unknown;
  delete(sessionId: string): unknown;
}

export interface LoginOptions {
  /** The client whose tokens are accepted, where the back end is another client, or has no key. */
  readonly clientId?: string;
}

export interface FinishOptions {
  /** The address that this browser came back to, or its path and query. By phone there is none. */
  readonly returned?: string | URL;
  readonly deviceName?: string;
  readonly endUserAddress?: string | undefined;
}

/**
 * `authenticated`: the person of this session is known. `dropped`: this is no return of a sign-in
 * that this session has started, and nothing has changed. The others are states of the attempt.
 */
export type LoginResult =
  | { readonly outcome: 'authenticated'; readonly token: ApiToken }
  | { readonly outcome: 'dropped' | 'pending' | 'rejected' | 'expired' | 'failed' };

/** Whose token a caller has brought. */
export interface Bearer {
  readonly userId: number;
  readonly clientId: string;
}

const STATES = ['pending', 'rejected', 'expired', 'failed'] as const;

/** The state of the attempt that is the reason of a failure. A cancelled one is rejected. */
const stateIn = ({ code }: MiftahError) =>
  code === 'attempt.cancelled' ? 'rejected' : STATES.find((state) => code === `attempt.${state}`);

/**
 * Signs people in at a back end. The token of an attempt stays in the session that has started it,
 * and only that session can finish it. Give the session a new id before each start and after each
 * sign-in: an id that the browser came with may be known to somebody who has put it there.
 */
export class Login {
  readonly #client: Calls;
  readonly #sessions: SessionStore;
  readonly #clientId: string | undefined;

  constructor(client: Calls, sessions: SessionStore, options: LoginOptions) {
    if (!has<SessionStore>(sessions, 'get', 'set', 'delete')) {
      throw new TypeError('sessions must be a store, such as a Map');
    }
    checkUse('createLogin', options, 'clientId');
    this.#client = client;
    this.#sessions = sessions;
    this.#clientId = options.clientId;
  }

  /** Starts an attempt for this session, in place of one that it has not finished. */
  async start(sessionId: string, options: StartOptions, ...more: never[]): Promise<Attempt> {
    checkSession(sessionId);
    checkUse('start', {}, START_OPTIONS, ...more);
    const attempt = await this.#client.start(options);
    await this.#sessions.set(sessionId, attempt.export());
    return attempt;
  }

  /** The attempt that this session has started and not finished. */
  async attempt(sessionId: string): Promise<Attempt | null> {
    checkSession(sessionId);
    const kept = await this.#sessions.get(sessionId);
    return typeof kept === 'string' ? this.#client.resume(kept) : null;
  }

  /** Drops what this session has started: for a sign-out. */
  async forget(sessionId: string): Promise<void> {
    checkSession(sessionId);
    await this.#sessions.delete(sessionId);
  }

  /**
   * Finishes the attempt of this session. A browser has to bring back the code that only the browser
   * of the person is given, so a link that was passed on signs in nobody.
   * @throws MiftahError
   */
  async finish(sessionId: string, options: FinishOptions = {}): Promise<LoginResult> {
    checkUse('finish', options, 'returned, deviceName, endUserAddress');
    const attempt = await this.attempt(sessionId);
    if (!attempt) return { outcome: 'dropped' };
    const { returned, ...issue } = options;
    if (attempt.flow === 'mfa') return this.#exchange(sessionId, attempt, issue);
    const members = membersOf(returned ?? '');
    if (members.get('attempt_id') !== attempt.id) return { outcome: 'dropped' };
    const completionCode = members.get('completion_code');
    if (completionCode !== null) {
      return this.#exchange(sessionId, attempt, { ...issue, completionCode });
    }
    return this.#ended(sessionId, attempt, await attempt.status());
  }

  /**
   * Accepts a token that a caller has brought, if it is valid and of the own application.
   * @throws MiftahError `token.invalid`
   */
  async accept(token: string): Promise<Bearer> {
    const own = this.#clientId;
    if (own === undefined) {
      const { active, sub, clientId } = await this.#client.introspect(token);
      if (active && clientId && /^\d{1,16}$/.test(sub ?? '')) {
        return { userId: Number(sub), clientId };
      }
    } else {
      const { id: userId, clientId } = await this.#client.user(token);
      if (clientId === own) return { userId, clientId };
    }
    const detail = 'The token is not valid for this application.';
    throw new MiftahError({ code: 'token.invalid', status: 401, detail });
  }

  async #exchange(
    sessionId: string,
    attempt: Attempt,
    options: IssueOptions,
  ): Promise<LoginResult> {
    try {
      const token = await attempt.issueToken(options);
      await this.#drop(sessionId, attempt);
      return { outcome: 'authenticated', token };
    } catch (error) {
      const failure = asFailure(error);
      const status = stateIn(failure);
      if (!status) throw failure;
      return this.#ended(sessionId, attempt, { status });
    }
  }

  /** The address says that it went wrong, which anybody can write: only the status is believed. */
  async #ended(
    sessionId: string,
    attempt: Attempt,
    { status: outcome }: Pick<AttemptStatus, 'status'>,
  ): Promise<LoginResult> {
    if (outcome === 'authenticated') return { outcome: 'dropped' };
    if (outcome !== 'pending') await this.#drop(sessionId, attempt);
    return { outcome };
  }

  /** But not what the session has started in the meantime, as in another tab. */
  async #drop(sessionId: string, { id }: Attempt): Promise<void> {
    if ((await this.attempt(sessionId))?.id === id) await this.#sessions.delete(sessionId);
  }
}

/** Without an id, as of a cookie that did not come, all people would have one session. */
function checkSession(sessionId: unknown): void {
  if (typeof sessionId !== 'string' || !sessionId) {
    throw new TypeError('sessionId must be a text');
  }
}

/** What the service adds to the return address is in its query, or after the `#`. */
function membersOf(returned: string | URL): URLSearchParams {
  const [, ...parts] = String(returned).split(/[?#]/);
  return new URLSearchParams(parts.find((part) => part.includes('attempt_id=')));
}
