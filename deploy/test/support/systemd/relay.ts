import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import process from 'node:process';

export interface Relay {
  readonly origin: string;
  /** How many connections were opened up to now. */
  readonly opened: () => number;
  close(): void;
}

/** Connects standard input and output with a port of loopback. */
const CONNECT = `
const socket = require('node:net').connect(Number(process.argv[1]), '127.0.0.1');
process.stdin.pipe(socket).pipe(process.stdout);
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit());
`;

/**
 * @param enter a command that runs another one in the network of the port
 */
export async function openRelay(enter: readonly string[], port: number): Promise<Relay> {
  const [command = '', ...args] = enter;
  const children = new Set<ChildProcess>();
  let opened = 0;
  const server = createServer((socket) => {
    opened += 1;
    const child = spawn(command, [...args, process.execPath, '-e', CONNECT, String(port)], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    children.add(child);
    const end = () => {
      children.delete(child);
      child.kill('SIGKILL');
      socket.destroy();
    };
    child.once('close', end);
    socket.once('error', end).once('close', end);
    child.stdin.on('error', end);
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
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
      for (const child of children) child.kill('SIGKILL');
    },
  };
}
