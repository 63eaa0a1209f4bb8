import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { keepHeads, keptHead } from './exchanges.ts';

it('of a head that comes in pieces the beginning is kept', async () => {
  const server = createServer();
  keepHeads(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void client.destroy());
  const [socket] = (await once(server, 'connection')) as [Socket];
  const pieces = ['GET /?state=x HTTP/1.1\r\n', 'Host: login.example.test\r\n', 'Cookie: a=b\r\n'];
  let sent = '';
  for (const piece of pieces) {
    client.write(piece);
    sent += piece;
    // Each has to be read before the next is sent, or both are one piece.
    await expect.poll(() => keptHead(socket).toString('latin1')).toBe(sent);
  }
});
