import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { AtEnd } from '../at-end.ts';

const PROBLEM = {
  type: '/errors/provider.unavailable',
  title: 'The provider is not available',
  status: 502,
  code: 'provider.unavailable',
  detail: 'The provider is not available.',
  message: 'The provider is not available.',
  remedy: 'Support of the provider asks for the reference in this answer.',
  request_id: 'the-request',
  reference: 4711,
};

/** What answers every call as the service does while its provider fails. @returns its address */
export async function failingService(atEnd: AtEnd): Promise<string> {
  const server = createServer((_, response) => {
    const headers = { 'content-type': 'application/problem+json', 'retry-after': '17' };
    response.writeHead(502, { ...headers, 'x-request-id': PROBLEM.request_id });
    response.end(JSON.stringify(PROBLEM));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
