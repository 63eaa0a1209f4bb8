import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findTool } from '../../../../scripts/debian.mjs';
import { temporaryFolder, type AtEnd } from '../at-end.ts';
import { accepts } from '../programs/accepts.ts';
import { findFreePort } from '../programs/service-process.ts';
import { serverOwner } from './owner.ts';

export interface PoolerSettings {
  readonly mode: 'session' | 'transaction';
  /** Whether the process that has waited longest is given out next, and not the last one used. */
  readonly roundRobin?: boolean;
}

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
  await expect.poll(() => accepts(port), { timeout: 60_000 }).toBe(true);
  const url = new URL(serverUrl);
  url.port = String(port);
  return url.href;
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
