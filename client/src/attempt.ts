import { ask, send, type Call, type Connection } from './connection.ts';
import { asFailure, isPassing, type MiftahError } from './error.ts';
import { follow, statusOf, type Seen } from './follow.ts';
import { limited, pause, waitOf } from './platform.ts';
import type {
  ApiToken,
  Attempt,
  AttemptStatus,
  CancelOptions,
  EndedStatus,
  Flow,
  IssueOptions,
  User,
  WaitOptions,
} from './types.ts';
import { checkUse, present } from './wire.ts';

/** An attempt lives five minutes, and its end is told within seconds. */
const WAIT_LIMIT_MS = 360_000;
/** The service answers a repeated exchange for 60 seconds after the first. */
const ISSUE_LIMIT_MS = 50_000;
const ISSUE_CALL_LIMIT_MS = 10_000;
const MOST_TRIES = 6;
const FIRST_PAUSE_MS = 500;

/** How Node and others show a value in logs (`util.inspect.custom`). */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Everything that an attempt needs to go on, in this process or in another one. */
export interface ExportedAttempt {
  readonly id: string;
  readonly token: string;
  readonly flow: Flow;
  /** ISO 8601. */
  readonly expiresAt: string | Date;
  /** The `Idempotency-Key` of the exchange. */
  readonly key: string;
  readonly random?: string | undefined;
  /** Services before the first that says it leave it out. */
  readonly randomExpiresAt?: string | Date;
  readonly authorizationUrl?: string | undefined;
}

export class StartedAttempt implements Attempt {
  declare readonly id: string;
  declare readonly flow: Flow;
  declare readonly expiresAt: Date;
  declare readonly random?: string;
  declare readonly randomExpiresAt?: Date;
  declare readonly authorizationUrl?: string;
  // Not properties, so that no serializer finds them.
  readonly #kept: ExportedAttempt;
  readonly #connection: Connection;

  constructor(connection: Connection, kept: ExportedAttempt) {
    this.#connection = connection;
    this.#kept = kept;
    const { id, flow, expiresAt, random, randomExpiresAt = expiresAt, authorizationUrl } = kept;
    const pushEnds = random && new Date(randomExpiresAt);
    Object.assign(
      this,
      present<unknown>({
        id,
        flow,
        expiresAt: new Date(expiresAt),
        random,
        randomExpiresAt: pushEnds,
        authorizationUrl,
      }),
    );
  }

  get token(): string {
    return this.#kept.token;
  }

  async status(...more: never[]): Promise<AttemptStatus> {
    checkUse('status', {}, 'nothing', ...more);
    return statusOf(this.#connection, this.#kept);
  }

  async waitForResult(options: WaitOptions = {}): Promise<EndedStatus> {
    checkUse('waitForResult', options, 'signal, timeout');
    return this.follow(options.timeout, options.signal);
  }

  /** As `waitForResult`, and gives `seen` each status as it is told. */
  follow(timeout = WAIT_LIMIT_MS, outer?: AbortSignal, seen?: Seen): Promise<EndedStatus> {
    return limited(timeout, outer, (signal) => follow(this.#connection, this.#kept, signal, seen));
  }

  /**
   * The same key and the same body each time: the service gives the same token again. So what may
   * have been lost on the way is repeated, within the time that the service remembers.
   */
  async issueToken(options: IssueOptions = {}): Promise<ApiToken> {
    checkUse('issueToken', options, 'completionCode, deviceName, endUserAddress');
    return limited(ISSUE_LIMIT_MS, undefined, async (signal) => {
      for (let tried = 1; ; tried += 1) {
        try {
          return await this.#exchange(options, signal);
        } catch (error) {
          const failure = asFailure(error);
          if (tried === MOST_TRIES || !isRepeated(failure)) throw failure;
          await pause(waitOf(failure, FIRST_PAUSE_MS * 2 ** (tried - 1)), signal);
          if (signal.aborted) throw failure;
        }
      }
    });
  }

  async #exchange(
    { completionCode, deviceName, endUserAddress }: IssueOptions,
    signal: AbortSignal,
  ): Promise<ApiToken> {
    const { token, key } = this.#kept;
    const call = this.#call('/token/', {
      method: 'POST',
      headers: { 'idempotency-key': key, 'x-end-user-address': endUserAddress },
      body: { attempt_token: token, completion_code: completionCode, device_name: deviceName },
      signal,
      limitMs: ISSUE_CALL_LIMIT_MS,
    });
    return new IssuedToken(await ask(this.#connection, call, 'token', 'expiresAt', 'user'));
  }

  async cancel(options: CancelOptions = {}): Promise<void> {
    checkUse('cancel', options, 'endUserAddress');
    const headers = {
      'x-provider-attempt-token': this.token,
      'x-end-user-address': options.endUserAddress,
    };
    await send(this.#connection, this.#call('/attempts/', { method: 'DELETE', headers }));
  }

  /** At the path with the id of the attempt behind it. */
  #call(path: string, call: Omit<Call, 'path'>): Call {
    const { clientKey: bearer } = this.#connection;
    return { ...call, path: path + encodeURIComponent(this.id), bearer };
  }

  export(): string {
    return JSON.stringify(this.#kept);
  }

  toJSON(): object {
    const { id, flow, expiresAt } = this;
    return { id, flow, expiresAt };
  }

  [INSPECT](): object {
    return this.toJSON();
  }
}

/** The answer was lost, or the service cannot say now whether it has issued a token. */
function isRepeated(failure: MiftahError): boolean {
  return failure.status === 503 || (failure.code.startsWith('client.') && isPassing(failure));
}

class IssuedToken implements ApiToken {
  declare readonly expiresAt: Date;
  declare readonly user: User;
  readonly #token: string;

  constructor({ token, expiresAt, user }: ApiToken) {
    this.#token = token;
    this.expiresAt = expiresAt;
    this.user = user;
  }

  get token(): string {
    return this.#token;
  }

  /** Neither the token nor who it is: a person's number does not belong into a log. */
  toJSON(): object {
    return { expiresAt: this.expiresAt, user: { id: this.user.id } };
  }

  [INSPECT](): object {
    return this.toJSON();
  }
}
