import { chownSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Owner } from './owner.ts';
import { withClient } from './connection.ts';

/** The name under which every standby of the tests connects to its primary. */
export const STANDBY_NAME = 'standby';

/** What belongs to the running server, or is sent to the standby anyway. */
const LEFT_OUT = /^(?:pg_wal|pg_replslot|postmaster\.(?:pid|opts)|postgresql\.auto\.conf)(?:\/|$)/;
const FOLDERS = ['pg_wal', 'pg_replslot'];

/**
 * Makes `target` a copy of the data folder of a running primary on this machine, as `pg_basebackup`
 * does, which not every collection of server programs contains. A server that is started with it is
 * a standby of that primary. Settings that were made by ALTER SYSTEM are not copied.
 */
export async function copyAsStandby(primaryUrl: string, target: string, owner?: Owner) {
  await withClient(primaryUrl, async (client) => {
    const { rows } = await client.query<{ source: string }>(
      `SELECT current_setting('data_directory') AS source, pg_backup_start('copy', true)`,
    );
    copyFiles(rows[0]?.source ?? '', target);
    const { rows: ended } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(false)',
    );
    writeFileSync(join(target, 'backup_label'), ended[0]?.labelfile ?? '');
    writeFileSync(join(target, 'standby.signal'), '');
    writeFileSync(join(target, 'postgresql.auto.conf'), connectionSetting(primaryUrl));
  });
  if (owner !== undefined) giveTo(owner, target);
}

function copyFiles(source: string, target: string): void {
  rmSync(target, { recursive: true, force: true, maxRetries: 5 });
  cpSync(source, target, {
    recursive: true,
    filter: (file) => !LEFT_OUT.test(relative(source, file)),
  });
  for (const folder of FOLDERS) mkdirSync(join(target, folder), { mode: 0o700 });
}

function connectionSetting(primaryUrl: string): string {
  const url = new URL(primaryUrl);
  const parts = {
    host: url.hostname,
    port: url.port,
    user: url.username,
    password: url.password,
    application_name: STANDBY_NAME,
  };
  const pairs = Object.entries(parts).map(([name, value]) => `${name}=${value}`);
  return `primary_conninfo = '${pairs.join(' ')}'\n`;
}

function giveTo({ uid, gid }: Owner, folder: string): void {
  chownSync(folder, uid, gid);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(folder, name), uid, gid);
  }
}
