import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findTool } from '../../../../scripts/debian.mjs';
import { temporaryFolder, type AtEnd } from '../at-end.ts';
import { accepts } from '../programs/accepts.ts';
import { findFreePort } from '../programs/service-process.ts';
import { openCuttingProxy } from './cutting-proxy.ts';
import { ask } from './databases.ts';
import { serverOwner } from './owner.ts';

export interface PoolerSettings {
  readonly mode: 'session' | 'transaction';
  /** Whether the process that has waited longest is given out next, and not the last one used. */
  readonly roundRobin?: boolean;
  /** Whether a login hears of a process of the server, and not of one that the pooler made up. */
  readonly namesServerProcess?: boolean;
}

/** BackendKeyData of the protocol: its letter and its length. The process follows, and a key. */
const BACKEND_KEY_DATA = Buffer.from('K\0\0\0\u000c');

/** A real PgBouncer, as Debian's package has it. @returns the address of the database behind it */
export async function openPooler(
  serverUrl: string,
  settings: PoolerSettings,
  atEnd: AtEnd,
): Promise<string> {
  const port = await findFreePort();
  const folder = temporaryFolder('pooler', atEnd);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, configOf(new URL(serverUrl), port, settings));
  // It refuses to run as root.
  const owner = serverOwner();
  if (owner !== undefined) for (const path of [folder, file]) chownSync(path, owner.uid, owner.gid);
  const program = findTool('pgbouncer') ?? '';
  const child = spawn(program, [file], { stdio: 'ignore', ...owner });
  const gone = once(child, 'exit');
  atEnd(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  await expect.poll(() => accepts(port)).toBe(true);
  const url = new URL(serverUrl);
  url.port = String(port);
  if (settings.namesServerProcess === true) await nameServerProcess(url, atEnd);
  return url.href;
}

/** Stands before the pooler, and changes the process that it names at a login. */
async function nameServerProcess(pooler: URL, atEnd: AtEnd): Promise<void> {
  const [row] = await ask(pooler.href, 'SELECT pg_backend_pid() AS backend');
  const backend = Number(row?.['backend']);
  const way = await openCuttingProxy(pooler.href, atEnd);
  way.change = (data) => {
    const start = data.indexOf(BACKEND_KEY_DATA);
    if (start >= 0) data.writeInt32BE(backend, start + BACKEND_KEY_DATA.length);
  };
  pooler.port = new URL(way.url).port;
}

function configOf(server: URL, port: number, { mode, roundRobin = false }: PoolerSettings): string {
  const { hostname, port: serverPort, username, password } = server;
  return `
[databases]
* = host=${hostname} port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
server_round_robin = ${roundRobin ? 1 : 0}
`;
}
