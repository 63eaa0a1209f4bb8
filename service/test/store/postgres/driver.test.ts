import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { PostgresConnection } from '../../../src/store/postgres/connections/connection.ts';

/** A port of this machine on which nothing listens any more. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('the driver names the fault when nothing listens where the database should be', async () => {
  const client = new Client({ host: '127.0.0.1', port: await freePort(), user: 'nobody' });
  await expect(client.connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

/** An authentication by GSSAPI, which the driver does not have. */
const UNREADABLE: readonly (readonly [string, readonly number[]])[] = [
  ['another authentication', [82, 0, 0, 0, 8, 0, 0, 0, 7]],
  ['another authentication twice', [82, 0, 0, 0, 8, 0, 0, 0, 7, 82, 0, 0, 0, 8, 0, 0, 0, 7]],
];

test.each(UNREADABLE)('a server that wants %s ends the connection alone', async (_, bytes) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.write(Buffer.from(bytes)));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connection = new PostgresConnection({ host: '127.0.0.1', port, user: 'nobody' });
  await expect(connection.connect()).rejects.toThrow();
  expect(connection.isBroken).toBe(true);
  await expect(connection.query({ name: null, sql: 'SELECT 1', values: [] })).rejects.toThrow(
    'not understood',
  );
});
