import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Client } from 'pg';
import { expect, test } from 'vitest';

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
