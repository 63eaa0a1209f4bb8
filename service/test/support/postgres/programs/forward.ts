// Forwards connections: forward.ts HOST PATH. Listens on a free port of HOST, prints the port, and
// connects each client to the Unix socket at PATH, which can be reached from every network namespace
// of the machine. Ends when its input ends.

import { connect, createServer, type AddressInfo } from 'node:net';
import process from 'node:process';

const [host = '', path = ''] = process.argv.slice(2);
const door = createServer((client) => {
  const server = connect(path);
  for (const socket of [client, server]) socket.on('error', () => undefined);
  client.pipe(server).pipe(client);
  client.on('close', () => server.destroy());
  server.on('close', () => client.destroy());
});
door.listen(0, host, () => console.log((door.address() as AddressInfo).port));
process.stdin.on('end', () => process.exit(0)).resume();
