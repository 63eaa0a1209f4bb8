import type { Socket } from 'node:net';
import { Client, type buildConnector } from 'undici';
import { SECOND_MS, type Ms } from '../values/time.ts';
import { OutboundError } from './outbound.port.ts';

const ANSWER_BYTES = 64 * 1024;
/** How long a connection is kept without a call; less where the host says so. */
const IDLE_MS = 4 * SECOND_MS;
/** From its first answer on, so that a name that leads elsewhere by then is followed. */
const KEPT_MS = 30 * SECOND_MS;

export interface ConnectionOptions {
  readonly origin: string;
  readonly host: string;
  /** Whose calls may use it; null: one call alone. */
  readonly owner: string | null;
  readonly connect: (target: buildConnector.Options) => Promise<Socket>;
}

/** How many connections there may be without a call. */
interface Room {
  readonly inAll: number;
  readonly ofHost: number;
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

  constructor({ origin, host, owner, connect }: ConnectionOptions, onEnd: () => void) {
    this.host = host;
    this.owner = owner;
    this.client = new Client(origin, {
      connect: (target, done) => void this.#open(connect(target), done),
      pipelining: owner === null ? 0 : 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
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

  /** Whether another call may use it. What came without a call would be taken for its answer. */
  get isSound(): boolean {
    return this.#socket?.destroyed === false && this.isSilent && this.#age?.aborted === false;
  }

  /** After an answer that was read to its end. */
  rest(keptMs: Ms): void {
    this.#age ??= AbortSignal.timeout(keptMs);
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

/** Keeps those that no call uses, the oldest first. */
export class Connections {
  readonly #idle = new Set<Connection>();
  readonly #keptMs: Ms;
  #isClosed = false;

  constructor(keptMs: Ms = KEPT_MS) {
    this.#keptMs = keptMs;
  }

  /** @returns null where a new one is needed */
  take(owner: string): Connection | null {
    for (const one of this.#idle) {
      if (one.owner !== owner) continue;
      this.#idle.delete(one);
      if (one.isSound) return one;
      one.end();
    }
    return null;
  }

  open(options: ConnectionOptions, room: Room): Connection {
    this.#makeRoom(options.host, room);
    const connection = new Connection(options, () => this.#idle.delete(connection));
    return connection;
  }

  /** After an answer that was read to its end. */
  keep(connection: Connection): void {
    connection.rest(this.#keptMs);
    if (this.#isClosed || !connection.isSound) connection.end();
    else this.#idle.add(connection);
  }

  /** What is under way goes on, and is not kept. */
  close(): void {
    this.#isClosed = true;
    this.#endOldest([...this.#idle], 0);
  }

  #makeRoom(host: string, { inAll, ofHost }: Room): void {
    this.#endOldest(
      [...this.#idle].filter((one) => one.host === host),
      ofHost,
    );
    this.#endOldest([...this.#idle], inAll);
  }

  #endOldest(connections: readonly Connection[], left: number): void {
    for (const one of connections.slice(0, Math.max(0, connections.length - left))) {
      this.#idle.delete(one);
      one.end();
    }
  }
}
