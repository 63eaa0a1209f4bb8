import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream';

export interface Relay {
  readonly origin: string;
  /** How many connections were opened up to now. */
  readonly opened: () => number;
  close(): void;
}

/** Connects each connection of a socket in a folder with a port of loopback, until its input ends. */
const CONNECT = `
const { connect, createServer } = require('node:net');
const { pipeline } = require('node:stream');
const [path, port] = process.argv.slice(1);
const server = createServer((socket) => {
  const inside = connect(Number(port), '127.0.0.1');
  pipeline(socket, inside, () => undefined);
  pipeline(inside, socket, () => undefined);
});
server.listen(path, () => console.log('listens'));
process.stdin.resume().on('end', () => process.exit());
`;

/**
 * Folders are the same in both networks, so one program in the other network serves all connections.
 * @param enter a command that runs another one in the network of the port
 */
export async function openRelay(enter: readonly string[], port: number): Promise<Relay> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-relay-'));
  const path = join(folder, 'relay');
  const [command = '', ...args] = enter;
  const child = spawn(command, [...args, process.execPath, '-e', CONNECT, path, String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  let opened = 0;
  const server = createServer((socket) => {
    opened += 1;
    const inside = connect(path);
    pipeline(socket, inside, () => undefined);
    pipeline(inside, socket, () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    opened: () => opened,
    close() {
      server.close();
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
