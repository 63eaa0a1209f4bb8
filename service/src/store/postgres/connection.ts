import { Socket } from 'node:net';
import { Client, types, type ClientConfig, type QueryResult } from 'pg';
import type { SqlRow, SqlValue, StepResult } from '../sql/statement.ts';
import { ConnectionLost, faultOf, ServerError } from './faults.ts';
import { isDiskFull, isWarning, makesUnusable } from './sql-state.ts';

/** The type ids (pg_type.oid) of what `count` and `sum` return. */
const INT8 = 20;
const NUMERIC = 1700;

/** A value of a statement; an array is one value, for `unnest` and `= ANY`. */
export type PostgresValue = SqlValue | readonly SqlValue[];

/** A statement with its values, ready to be sent. */
export interface Call {
  /** It is prepared once on each connection under this name, at most 63 bytes; null: not at all. */
  readonly name: string | null;
  readonly sql: string;
  readonly values: readonly PostgresValue[];
}

export interface Answer extends StepResult {
  /** What the server says that it did, for example `INSERT`, `COMMIT` or `ROLLBACK`. */
  readonly command: string;
}

/**
 * One connection, for one user at a time. After any event that leaves its state in doubt it is
 * destroyed: everything unanswered is rejected with ConnectionLost, and `isBroken` stays true.
 */
export class PostgresConnection {
  readonly #client: Client;
  readonly #socket: Socket;
  #broken: string | null = null;
  #whenBroken: () => void = () => undefined;
  #warning: string | null = null;
  #backend: number | null = null;
  #fullDisk: string | null = null;

  /** @param config host, port, user and the like; how it is used is added here */
  constructor(config: ClientConfig) {
    const socket = new Socket();
    this.#socket = socket;
    this.#client = new Client({
      ...config,
      stream: () => socket,
      types: { getTypeParser: parserOf },
      // Statements may be sent before the earlier ones were answered.
      pipeline: true,
      keepAlive: true,
    });
    this.#client.on('error', (error) => this.destroy(faultOf(error).message));
    this.#client.on('end', () => this.destroy('the connection was closed'));
    this.#client.on('notice', ({ code }) => {
      if (code !== undefined && isWarning(code)) this.#warning = code;
    });
    this.#client.connection.on('backendKeyData', (message: { processID: number }) => {
      this.#backend = message.processID;
    });
  }

  get isBroken(): boolean {
    return this.#broken !== null;
  }

  /** The process of the server that the connection was told of. A pooler names none of its own. */
  get backend(): number | null {
    return this.#backend;
  }

  /** @throws ServerError, ConnectionLost */
  async connect(): Promise<void> {
    try {
      await this.#client.connect();
    } catch (error) {
      const fault = faultOf(error);
      this.destroy(fault.message);
      throw fault;
    }
  }

  /** Calls `react` once, when the connection can't be used any more. */
  whenBroken(react: () => void): void {
    this.#whenBroken = react;
    if (this.isBroken) react();
  }

  /** Calls `react` with what NOTIFY sends to the channels that this connection listens to. */
  whenNotified(react: (payload: string) => void): void {
    this.#client.on('notification', ({ payload = '' }) => react(payload));
  }

  /** @throws ServerError, ConnectionLost */
  async query({ name, sql, values }: Call): Promise<Answer> {
    if (this.#broken !== null) throw new ConnectionLost(this.#broken);
    const text = name === null ? { text: sql } : { name, text: sql };
    try {
      return answerOf(await this.#client.query<SqlRow>({ ...text, values: [...values] }));
    } catch (error) {
      throw this.#faultOf(error);
    }
  }

  /** Sends all calls at once. Each is answered by itself, in this order. */
  queryAll(calls: readonly Call[]): Promise<Answer>[] {
    this.#socket.cork();
    try {
      return calls.map((call) => this.query(call));
    } finally {
      this.#socket.uncork();
    }
  }

  /** The code of a warning that the server has sent since the last time, or null. */
  takeWarning(): string | null {
    const warning = this.#warning;
    this.#warning = null;
    return warning;
  }

  /** What the server has said about a full disk since the last time, or null. */
  takeFullDisk(): string | null {
    const fault = this.#fullDisk;
    this.#fullDisk = null;
    return fault;
  }

  destroy(reason: string): void {
    if (this.#broken !== null) return;
    this.#broken = reason;
    this.#socket.destroy();
    this.#whenBroken();
  }

  /** Says good-bye to the server. The connection must not be in use. */
  async end(): Promise<void> {
    if (this.isBroken) return;
    this.#whenBroken = () => undefined;
    this.#broken = 'the connection was closed';
    const ended = this.#client.end();
    // When the message is sent. A server that has gone silent would never close its end.
    this.#socket.destroySoon();
    await ended;
  }

  #faultOf(error: unknown): ServerError | ConnectionLost {
    const fault = faultOf(error);
    if (fault instanceof ServerError) {
      if (isDiskFull(fault.sqlState)) this.#fullDisk = fault.message;
      if (makesUnusable(fault.sqlState)) this.destroy(fault.message);
      return fault;
    }
    this.destroy(fault.message);
    // The first reason, for example the deadline, explains more than the closed socket after it.
    return new ConnectionLost(this.#broken ?? fault.message);
  }
}

function answerOf({ rows, rowCount, command }: QueryResult<SqlRow>): Answer {
  return { rows, changes: rowCount ?? 0, command };
}

/** The driver's own parsers, but for whole numbers, which it leaves as text. */
function parserOf(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8 || oid === NUMERIC) return safeInteger;
  return types.getTypeParser(oid, format);
}

/** Text that is no safe integer stays text, so that whoever reads the row refuses it. */
function safeInteger(text: string): number | string {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}
