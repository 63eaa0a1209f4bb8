import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { escapeIdentifier } from 'pg';
import type { SharedServer } from './door.ts';
import { startPostgres } from './server.ts';
import { withClient } from './connection.ts';

/** The form of the names: this, the time in seconds, and a random text. */
const PREFIX = 'miftah_test_';
const RANDOM_BYTES = 4;
/** No run takes that long: what is older was left by one that was killed. */
const OLDEST_RUN_S = 6 * 60 * 60;

/** In TEST_DATABASE_URL if that is set, else a server that is started, and ends with this process. */
export async function openSharedServer(): Promise<SharedServer & { close: () => Promise<void> }> {
  const seconds = Math.floor(Date.now() / 1000);
  const run = `${PREFIX}${seconds}_${randomBytes(RANDOM_BYTES).toString('hex')}`;
  const given = process.env['TEST_DATABASE_URL'];
  if (given === undefined || given === '') {
    const { url, close } = await startPostgres({ isUnlikeOthers: true });
    return { url, run, close };
  }
  await dropDatabases(given, (name) => startOf(name) < seconds - OLDEST_RUN_S);
  return { url: given, run, close: () => dropDatabases(given, (name) => name.startsWith(run)) };
}

function startOf(name: string): number {
  return Number(name.slice(PREFIX.length).split('_')[0]);
}

async function dropDatabases(url: string, isOld: (name: string) => boolean): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database');
    const names = rows.map(({ datname }) => datname).filter((name) => name.startsWith(PREFIX));
    for (const name of names.filter(isOld)) {
      await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`);
    }
  });
}
