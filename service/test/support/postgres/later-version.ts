import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { COMPILE_CACHE } from '../../../../scripts/compile-cache.mjs';
import { programFile } from '../../../../scripts/program-files.ts';
import type { Environment } from '../../../../scripts/rehearsal.ts';
import type { Migration } from '../../../src/store/sql/migration.ts';
import { until } from '../programs/until.ts';
import { withClient } from './connection.ts';
import { ask } from './databases.ts';

const PAUSE_SECONDS = 0.3;

/**
 * A statement in the middle of a migration that takes its time, and can be recognised. It waits for
 * whoever holds the lock of this place.
 */
export function pause(place: number): string {
  return `SELECT pg_advisory_xact_lock_shared(${place}), pg_sleep(${PAUSE_SECONDS})`;
}

/** `miftah migrate` of a version that has these migrations too. */
export class LaterVersion {
  readonly #url: string;
  readonly #settings: Environment;
  readonly #migrations: readonly Migration[];

  constructor(settings: Environment, migrations: readonly Migration[]) {
    this.#url = settings['DATABASE_URL'] ?? '';
    this.#settings = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings };
    this.#migrations = migrations;
  }

  /** @returns the exit code */
  async migrate(): Promise<number | null> {
    const [code] = (await once(this.#start(), 'exit')) as [number | null];
    return code;
  }

  /** Kills the process while the server is at the pause, and waits until the server has ended. */
  async migrateAndDieAt(place: number): Promise<NodeJS.Signals | null> {
    const signal = await withClient(this.#url, async (client) => {
      // Else the migration could be over before a busy machine has killed it. It goes with the client.
      await client.query('SELECT pg_advisory_lock($1)', [place]);
      return this.#dieAt(place);
    });
    await until(async () => !(await this.#isAt(place)));
    return signal;
  }

  async #dieAt(place: number): Promise<NodeJS.Signals | null> {
    const child = this.#start();
    const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    await until(async () => child.exitCode !== null || (await this.#isAt(place)));
    child.kill('SIGKILL');
    const [, signal] = await exited;
    return signal;
  }

  #start(): ChildProcess {
    const args = [programFile('miftah-later'), JSON.stringify(this.#migrations), 'migrate'];
    return spawn(process.execPath, args, {
      env: this.#settings,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }

  /** Whether a session has sent the pause as its last statement, and is not gone. */
  async #isAt(place: number): Promise<boolean> {
    const rows = await ask(this.#url, 'SELECT 1 FROM pg_stat_activity WHERE query = $1', [
      pause(place),
    ]);
    return rows.length > 0;
  }
}
