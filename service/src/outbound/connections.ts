import type { Socket } from 'node:net';
import { Client, type buildConnector } from 'undici';
import { SECOND_MS, type Ms } from '../values/time.ts';
import { OutboundError } from './outbound.port.ts';

/** Rule 4 of the port. */
const ANSWER_BYTES = 64 * 1024;

/** How long a connection is kept. */
export interface Keeping {
  /** Without a call; less where the host says so. */
  readonly idleMs: Ms;
  /** From its first answer on, so that a name that leads elsewhere by then is followed. */
  readonly inAllMs: Ms;
}

const KEEPING: Keeping = { idleMs: SECOND_MS, inAllMs: 30 * SECOND_MS };

/** How long calls have a connection each after one has failed on a connection that was kept. */
const APART_MS = 600 * SECOND_MS;

/** How long a call waits for a connection that is in use, before it has one of its own. */
const WAIT_MS = 20;

export interface ConnectionOptions {
  readonly origin: string;
  readonly host: string;
  /** Whose calls may use it; null: one call alone. */
  readonly owner: string | null;
  readonly connect: (target: buildConnector.Options) => Promise<Socket>;
}

/** One connection, whose address was checked when it was made. One call uses it at a time. */
export class Connection {
  readonly host: string;
  readonly owner: string | null;
  readonly client: Client;
  #socket: Socket | null = null;
  /** What had been read when it was answered last. */
  #bytesRead = 0;
  #age: AbortSignal | null = null;

  constructor({ origin, host, owner, connect }: ConnectionOptions, idleMs: Ms, onEnd: () => void) {
    this.host = host;
    this.owner = owner;
    this.client = new Client(origin, {
      connect: (target, done) => void this.#open(connect(target), done),
      pipelining: owner === null ? 0 : 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxResponseSize: ANSWER_BYTES,
    });
    // Otherwise what was not sent yet would be sent on a second connection.
    this.client.once('disconnect', () => {
      this.end();
      onEnd();
    });
  }

  /** Whether nothing has come since the last answer. */
  get isSilent(): boolean {
    return this.#socket?.bytesRead === this.#bytesRead;
  }

  get hasAnswered(): boolean {
    return this.#age !== null;
  }

  /** Whether another call may use it. What came without a call would be taken for its answer. */
  get isSound(): boolean {
    return this.#socket?.destroyed === false && this.isSilent && this.#age?.aborted === false;
  }

  /** After an answer that was read to its end. */
  rest(inAllMs: Ms): void {
    this.#age ??= AbortSignal.timeout(inAllMs);
    this.#bytesRead = this.#socket?.bytesRead ?? 0;
  }

  /** Also where it is not there yet. */
  end(): void {
    void this.client.destroy();
  }

  async #open(opening: Promise<Socket>, done: buildConnector.Callback): Promise<void> {
    try {
      this.#socket = await opening;
    } catch (error) {
      return done(error instanceof Error ? error : new OutboundError('no_connection'), null);
    }
    done(null, this.#socket);
  }
}

interface Waiting {
  readonly owner: string;
  readonly give: (connection: Connection | null) => void;
}

/**
 * Keeps one connection to a host, while no call to it is under way: a host that serves one connection
 * at a time would let the others wait behind it.
 */
export class Connections {
  /** The oldest first. */
  readonly #idle = new Set<Connection>();
  readonly #inUse = new Set<Connection>();
  readonly #waiting = new Set<Waiting>();
  /** Whose calls have failed on a connection that was kept, and until when they have one each. */
  readonly #apart = new Map<string | null, AbortSignal>();
  readonly #keeping: Keeping;
  #isClosed = false;

  constructor(keeping: Keeping = KEEPING) {
    this.#keeping = keeping;
  }

  /** @returns null where a new one is needed */
  async take(owner: string): Promise<Connection | null> {
    const kept = [...this.#idle].find((one) => one.owner === owner);
    if (kept !== undefined) {
      this.#idle.delete(kept);
      if (kept.isSound) return this.#use(kept);
      kept.end();
    }
    const isComing = [...this.#inUse].some((one) => one.owner === owner && one.hasAnswered);
    return isComing ? this.#wait(owner) : null;
  }

  /** @param room how many there may be without a call */
  open(options: ConnectionOptions, room: number): Connection {
    for (const one of this.#idle) if (one.host === options.host) this.#end(one);
    for (const one of this.#idle) if (this.#idle.size > room) this.#end(one);
    const { idleMs } = this.#keeping;
    const connection = new Connection(options, idleMs, () => this.#idle.delete(connection));
    return this.#use(connection);
  }

  /** @param isWell whether it was answered well, and the answer was read to its end */
  giveBack(connection: Connection, isWell: boolean): void {
    this.#inUse.delete(connection);
    if (isWell) connection.rest(this.#keeping.inAllMs);
    const waiting = [...this.#waiting].filter(({ owner }) => owner === connection.owner);
    if (!isWell || !this.#mayKeep(connection)) {
      for (const one of waiting) one.give(null);
      return connection.end();
    }
    const [next] = waiting;
    if (next === undefined) this.#idle.add(connection);
    else next.give(this.#use(connection));
  }

  /** Its host does not take a second call as it should. */
  keepNoMore({ owner }: Connection): void {
    this.#apart.set(owner, AbortSignal.timeout(APART_MS));
  }

  /** What is under way goes on, and is not kept. */
  close(): void {
    this.#isClosed = true;
    for (const one of this.#idle) this.#end(one);
  }

  /** For a connection that is in use, since its next answer may come soon. */
  #wait(owner: string): Promise<Connection | null> {
    const { promise, resolve } = Promise.withResolvers<Connection | null>();
    const one: Waiting = {
      owner,
      give: (connection) => {
        this.#waiting.delete(one);
        resolve(connection);
      },
    };
    this.#waiting.add(one);
    AbortSignal.timeout(WAIT_MS).addEventListener('abort', () => one.give(null), { once: true });
    return promise;
  }

  #end(idle: Connection): void {
    this.#idle.delete(idle);
    idle.end();
  }

  #use(connection: Connection): Connection {
    this.#inUse.add(connection);
    return connection;
  }

  #mayKeep({ host, owner, isSound }: Connection): boolean {
    const isCalled = [...this.#inUse].some((one) => one.host === host);
    return isSound && !isCalled && !this.#isClosed && this.#apart.get(owner)?.aborted !== false;
  }
}
