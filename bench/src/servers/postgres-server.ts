import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import { findPostgres } from '../../../scripts/postgres.mjs';
import {
  startPostgres,
  type PostgresServer,
} from '../../../service/test/support/postgres/server.ts';
import type { Acknowledged } from '../load/job.ts';
import { OWN_BOOK, requireEqual } from './count-rows.ts';
import { cpuTimeBelow } from './process-usage.ts';
import { ServerProcess } from './server-process.ts';

const KEY_BYTES = 32;

/** A PostgreSQL server of the benchmark's own: each commit waits for the disk, as in production. */
export class BenchPostgres {
  readonly #server: PostgresServer;
  readonly #key = randomBytes(KEY_BYTES).toString('hex');

  private constructor(server: PostgresServer) {
    this.#server = server;
  }

  /** Null where the machine has no server programs. */
  static async start(): Promise<BenchPostgres | null> {
    if (findPostgres() === undefined) return null;
    return new BenchPostgres(await startPostgres({ isDurable: true }));
  }

  /** Of all processes of the server, in seconds; null if the system does not provide it. */
  cpuTime(): number | null {
    return cpuTimeBelow(this.#server.supervisor);
  }

  createDatabase(name: string): Promise<void> {
    return this.#with(this.#server.url, async (client) => {
      await client.query(`CREATE DATABASE ${escapeIdentifier(name)}`);
    });
  }

  /** The service's real program on one of the databases; several may share it. */
  service(dataDir: string, database: string): Promise<ServerProcess> {
    const settings = { DATABASE_URL: this.urlOf(database), SECRET_KEY: this.#key };
    return ServerProcess.service(dataDir, settings);
  }

  /** @throws Error unless the database contains exactly what was acknowledged */
  requireRows(database: string, acknowledged: Acknowledged): Promise<void> {
    return this.#with(this.urlOf(database), async (client) => {
      const { rows } = await client.query<Record<keyof Acknowledged, string>>(OWN_BOOK.count);
      const [row] = rows;
      const { attempts, completions, tokens } = row ?? {};
      requireEqual(
        { attempts: Number(attempts), completions: Number(completions), tokens: Number(tokens) },
        acknowledged,
      );
    });
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  urlOf(database: string): string {
    const url = new URL(this.#server.url);
    url.pathname = database;
    return url.href;
  }

  async #with(url: string, work: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  }
}
