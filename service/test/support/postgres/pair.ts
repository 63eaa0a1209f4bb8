import process from 'node:process';
import { until } from '../programs/until.ts';
import { ask } from './databases.ts';
import { startPostgres, type PostgresServer } from './server.ts';
import { STANDBY_NAME } from './standby-copy.ts';

const SETTINGS = {
  // A server that is not durable would not wait for its standby either.
  synchronous_commit: 'on',
  // What a standby that was just copied still needs.
  wal_keep_size: '512MB',
  wal_retrieve_retry_interval: '100ms',
};

/** A primary and its standby, on this machine. They change places at a failover. */
export class PostgresPair {
  #primary: PostgresServer;
  #standby: PostgresServer;
  /** The host and port of both, in an order that never changes. */
  readonly #hosts: string;
  #isComplete = true;

  private constructor(primary: PostgresServer, standby: PostgresServer) {
    this.#primary = primary;
    this.#standby = standby;
    this.#hosts = [primary, standby].map(({ url }) => new URL(url).host).join(',');
  }

  /** Replication is asynchronous at first. Without `isDurable` no server waits for its own disk. */
  static async start(isDurable: boolean): Promise<PostgresPair> {
    const options = { isDurable, settings: SETTINGS };
    const primary = await startPostgres(options);
    try {
      const standby = await startPostgres({ ...options, follows: primary.url });
      const pair = new PostgresPair(primary, standby);
      await pair.#untilStandbyIs('async');
      return pair;
    } catch (error) {
      await primary.close();
      throw error;
    }
  }

  get primary(): PostgresServer {
    return this.#primary;
  }

  get standby(): PostgresServer {
    return this.#standby;
  }

  /** Whether the standby follows the primary. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** For the service: it names both servers. */
  get url(): string {
    return this.#primary.url.replace(new URL(this.#primary.url).host, this.#hosts);
  }

  /** Whether a commit waits for the standby. */
  async setSynchronous(isSynchronous: boolean): Promise<void> {
    const names = isSynchronous ? STANDBY_NAME : '';
    await ask(this.#primary.url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await ask(this.#primary.url, 'SELECT pg_reload_conf()');
    await this.#untilStandbyIs(isSynchronous ? 'sync' : 'async');
  }

  /**
   * Stops the process of the standby that receives what the primary writes.
   * @returns what ends the process; it drops what it has not read yet, as a broken network does
   */
  async stallReplication(): Promise<() => void> {
    const [row] = await ask<{ pid: number }>(
      this.#standby.url,
      'SELECT pid FROM pg_stat_wal_receiver',
    );
    if (row === undefined) throw new Error('the standby receives nothing');
    process.kill(row.pid, 'SIGSTOP');
    return () => {
      // It finds this signal first when it goes on.
      process.kill(row.pid, 'SIGTERM');
      process.kill(row.pid, 'SIGCONT');
    };
  }

  /** The former primary, which is `standby` from then on, stays as it is. */
  async promote(): Promise<void> {
    await ask(this.#standby.url, 'SELECT pg_promote()');
    [this.#primary, this.#standby] = [this.#standby, this.#primary];
    this.#isComplete = false;
  }

  /** Makes a former primary a standby of the present one. */
  async complete(): Promise<void> {
    if (this.#isComplete) return;
    await this.#standby.follow(this.#primary.url);
    await this.#standby.start();
    await this.#untilStandbyIs('async');
    this.#isComplete = true;
  }

  async close(): Promise<void> {
    await Promise.all([this.#standby.close(), this.#primary.close()]);
  }

  async #untilStandbyIs(state: 'async' | 'sync'): Promise<void> {
    const asked = `SELECT sync_state AS state FROM pg_stat_replication
      WHERE state = 'streaming' AND application_name = '${STANDBY_NAME}'`;
    await until(async () => {
      const [row] = await ask<{ state: string }>(this.#primary.url, asked);
      return row?.state === state;
    });
  }
}
