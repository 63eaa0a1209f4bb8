import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { findPostgres } from '../../../../scripts/postgres.mjs';

export interface DumpTools {
  /** Writes a database into a file, in the format of pg_restore. */
  readonly dump: (url: string, file: string) => Promise<void>;
  /** Restores it into an empty database. */
  readonly restore: (url: string, file: string) => Promise<void>;
}

/** pg_dump and pg_restore of this machine; null where they are missing. */
export function findDumpTools(): DumpTools | null {
  const folder = foldersOfPrograms().find((place) =>
    ['pg_dump', 'pg_restore'].every((name) => existsSync(join(place, name))),
  );
  if (folder === undefined) return null;
  return {
    dump: (url, file) =>
      run(join(folder, 'pg_dump'), [
        '--format=custom',
        '--no-unlogged-table-data',
        '--file',
        file,
        url,
      ]),
    restore: (url, file) =>
      run(join(folder, 'pg_restore'), [
        '--exit-on-error',
        '--no-owner',
        '--single-transaction',
        '--dbname',
        url,
        file,
      ]),
  };
}

/** Beside the server first: pg_dump has to be at least as new as the server. */
function foldersOfPrograms(): readonly string[] {
  const ofServer = findPostgres();
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  return ofServer === undefined ? onPath : [ofServer, ...onPath];
}

/** @throws Error with what the program said */
async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const said = text(child.stderr);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${await said}`);
}
