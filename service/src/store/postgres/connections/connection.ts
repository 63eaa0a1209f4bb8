import { Socket } from 'node:net';
import { Client, type ClientConfig, type QueryResult } from 'pg';
import type { SqlRow } from '../../sql/statement.ts';
import { ConnectionLost, faultOf, ServerError } from '../faults.ts';
import { guardReading } from './guard-reading.ts';
import { isDiskFull, isWarning, makesUnusable } from './sql-state.ts';
import {
  parserOf,
  PreparedStatements,
  StatementGroup,
  type Answer,
  type Call,
} from './statement-group.ts';

export type { Answer, Call, PostgresValue } from './statement-group.ts';

/** Calls that were sent together. */
export interface SentCalls {
  /** @throws ServerError, ConnectionLost by rejection, of the first call that failed */
  readonly answers: Promise<readonly Answer[]>;
  /** How many were answered so far; after a ServerError, the place of the call that failed. */
  readonly answered: () => number;
}

const NOT_UNDERSTOOD =
  'the server said what is not understood, such as an authentication that is not supported';

/**
 * One connection, for one user at a time. After any event that leaves its state in doubt it is
 * destroyed: everything unanswered is rejected with ConnectionLost, and `isBroken` stays true.
 */
export class PostgresConnection {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #prepared = new PreparedStatements();
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
    guardReading(
      this.#client,
      () => this.isBroken,
      () => this.destroy(NOT_UNDERSTOOD),
    );
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
  async query(call: Call): Promise<Answer> {
    if (call.name === null && call.values.length === 0) return this.#queryText(call.sql);
    const [answer] = await this.send([call]).answers;
    if (answer === undefined) throw new ConnectionLost('a call was not answered');
    return answer;
  }

  /**
   * Sends all calls at once. After one that fails none is run, so inside of a transaction they
   * may follow each other without a look at the answers.
   */
  send(calls: readonly Call[]): SentCalls {
    const group = new StatementGroup(calls, this.#prepared);
    return { answers: this.#answersOf(group), answered: () => group.answered };
  }

  async #answersOf(group: StatementGroup): Promise<readonly Answer[]> {
    if (this.#broken !== null) throw new ConnectionLost(this.#broken);
    try {
      this.#client.query(group);
      return await group.answers;
    } catch (error) {
      throw this.#faultOf(error);
    }
  }

  /** Text without values is not prepared, and may be several statements. */
  async #queryText(sql: string): Promise<Answer> {
    if (this.#broken !== null) throw new ConnectionLost(this.#broken);
    try {
      return answerOf(await this.#client.query<SqlRow>(sql));
    } catch (error) {
      throw this.#faultOf(error);
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
