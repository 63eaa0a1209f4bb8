import { sqlStateWords, wordsOf } from '../../../errors/fault-words.ts';
import type { Secret } from '../../../values/secret.ts';
import type { Ms } from '../../../values/time.ts';
import type { StoreAway } from '../../ports/store.port.ts';
import type { Timer } from '../../../platform/runtime.port.ts';
import { StoreOpenError } from '../../store-fault.ts';
import { clientConfigOf } from './client-config.ts';
import type { DatabaseAddress, ServerAddress } from '../connection-url.ts';
import { PostgresConnection } from './connection.ts';
import { DatabasePassword } from './database-password.ts';
import { ServerError } from '../faults.ts';
import {
  checkServer,
  latestIdentity,
  requireKnown,
  type CheckedServer,
  type IdentityMemory,
  type ServerWarning,
} from '../server-check.ts';

export interface ConnectorOptions {
  readonly address: DatabaseAddress;
  /** By default that of the address. */
  readonly password?: DatabasePassword;
  readonly identity: IdentityMemory;
  readonly timer: Timer;
  /** For one server: to connect, to log in and to be checked. */
  readonly connectMs: Ms;
  /** Of one operation; the server gets limits that fit to it. */
  readonly deadlineMs: Ms;
  /** Gets each warning once. */
  readonly onWarning: (warning: ServerWarning) => void;
  /**
   * Has to resolve before a connection is used.
   * @throws StoreOpenError when the database can never be used
   */
  readonly enter?: (connection: PostgresConnection) => Promise<void>;
}

interface Opened {
  readonly server: ServerAddress;
  readonly connection: PostgresConnection;
  readonly checked: CheckedServer;
}

/** Makes connections to whichever of the servers accepts writes and is the right one. */
export class Connector {
  readonly #options: ConnectorOptions;
  readonly #password: DatabasePassword;
  readonly #warned = new Set<string>();
  /** Where a connection has proved that it keeps its process. */
  readonly #proved = new Set<ServerAddress>();
  /** The server of the last connection comes first. */
  #servers: readonly ServerAddress[];
  #isFirst = true;
  #isPasswordRefused = false;

  constructor(options: ConnectorOptions) {
    this.#options = options;
    this.#password = options.password ?? new DatabasePassword(options.address.password);
    this.#servers = options.address.servers;
  }

  /** What the last server that was asked has refused, for the health of the store. */
  get refused(): Pick<StoreAway, 'password'> {
    return this.#isPasswordRefused ? { password: this.#password.place } : {};
  }

  /**
   * @throws StoreOpenError when the database can never be used; else Error whose message says for
   *   each server why it can't be used now
   */
  async connect(): Promise<PostgresConnection> {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const isChoice = isFirst && this.#servers.length > 1;
    const connection = await (isChoice ? this.#connectToLatest() : this.#connectInTurn());
    try {
      await this.#options.enter?.(connection);
      return connection;
    } catch (error) {
      connection.destroy('the connection was not let in');
      throw error;
    }
  }

  async #connectInTurn(): Promise<PostgresConnection> {
    const reasons: string[] = [];
    for (const server of this.#servers) {
      try {
        return await this.#admit(await this.#open(server));
      } catch (error) {
        // Whatever the other servers are, their database is a copy of this one.
        if (error instanceof StoreOpenError) throw error;
        reasons.push(reasonFor(server, error));
      }
    }
    throw noneOf(reasons);
  }

  /**
   * A former primary that came back does not know that it was replaced, and neither does an instance
   * that was not running at that time: only the other servers tell.
   */
  async #connectToLatest(): Promise<PostgresConnection> {
    const reasons: string[] = [];
    const unusable: StoreOpenError[] = [];
    const opening = this.#servers.map(async (server) => {
      try {
        return [await this.#open(server)];
      } catch (error) {
        if (error instanceof StoreOpenError) unusable.push(error);
        reasons.push(reasonFor(server, error));
        return [];
      }
    });
    const opened = (await Promise.all(opening)).flat();
    const [latest, ...others] = opened.toSorted((one, two) => timelineOf(two) - timelineOf(one));
    for (const { connection } of others) connection.destroy('another server is used');
    if (latest === undefined) throw unusable[0] ?? noneOf(reasons);
    return this.#admit(latest).catch((error: unknown) => {
      throw noneOf([...reasons, reasonFor(latest.server, error)]);
    });
  }

  /** A server that refuses the password may have got another one, which is in the file by then. */
  async #open(server: ServerAddress): Promise<Opened> {
    const used = this.#password.current;
    try {
      const opened = await this.#openWith(server, used);
      this.#isPasswordRefused = false;
      return opened;
    } catch (error) {
      this.#isPasswordRefused = stateOf(error) === PASSWORD_REFUSED;
      if (!LOGIN_REFUSED.has(stateOf(error))) throw error;
      this.#rereadPassword();
      if (this.#password.current === used) throw error;
    }
    return this.#openWith(server, this.#password.current);
  }

  #rereadPassword(): void {
    try {
      const { isOther, use } = this.#password.reread();
      if (isOther) use();
    } catch (error) {
      this.#warn({ what: wordsOf(error), remedy: 'the password of before stays in use' });
    }
  }

  async #openWith(server: ServerAddress, password: Secret | null): Promise<Opened> {
    const { address, timer, connectMs, deadlineMs } = this.#options;
    const late = `no answer within ${connectMs} ms`;
    const made: PostgresConnection[] = [];
    const connect = async () => {
      const connection = new PostgresConnection(clientConfigOf(address, server, password));
      made.push(connection);
      await connection.connect();
      return connection;
    };
    const stopWaiting = timer.after(connectMs, () => destroyAll(made, late));
    try {
      const connection = await connect();
      const isNew = !this.#proved.has(server);
      const checked = await checkServer(connection, deadlineMs, { isNew, openOther: connect });
      this.#proved.add(server);
      return { server, connection, checked };
    } catch (error) {
      destroyAll(made, 'the server was not accepted');
      throw error;
    } finally {
      stopWaiting();
    }
  }

  async #admit({ server, connection, checked }: Opened): Promise<PostgresConnection> {
    try {
      await this.#recognise(checked);
    } catch (error) {
      connection.destroy('the server was not accepted');
      throw error;
    }
    this.#servers = [server, ...this.#servers.filter((other) => other !== server)];
    return connection;
  }

  async #recognise({ identity, warnings }: CheckedServer): Promise<void> {
    const memory = this.#options.identity;
    const known = memory.known();
    requireKnown(identity, known);
    const latest = latestIdentity(identity, known);
    const isNews =
      latest.timeline !== known?.timeline || latest.systemIdentifier !== known.systemIdentifier;
    if (isNews) await memory.remember(latest);
    for (const warning of warnings) this.#warn(warning);
  }

  #warn(warning: ServerWarning): void {
    if (this.#warned.has(warning.what)) return;
    this.#warned.add(warning.what);
    this.#options.onWarning(warning);
  }
}

const PASSWORD_REFUSED = '28P01';
/** With passwords that the server has checked elsewhere (PAM, LDAP) it is the second one. */
const LOGIN_REFUSED: ReadonlySet<string | null> = new Set([PASSWORD_REFUSED, '28000']);

function stateOf(error: unknown): string | null {
  return error instanceof ServerError ? error.sqlState : null;
}

function destroyAll(connections: readonly PostgresConnection[], reason: string): void {
  for (const connection of connections) connection.destroy(reason);
}

function timelineOf({ checked }: Opened): number {
  return checked.identity.timeline;
}

function noneOf(reasons: readonly string[]): Error {
  return new Error(`no database server can be used: ${reasons.join('; ')}`);
}

function reasonFor({ host, port }: ServerAddress, error: unknown): string {
  return `${host}:${port}: ${reasonOf(error)}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ServerError)) return wordsOf(error);
  const { sqlState, message } = error;
  // This right is another one at a login.
  if (sqlState === '42501') return 'the user has no right to connect to the database';
  return sqlStateWords(sqlState) ?? message;
}
