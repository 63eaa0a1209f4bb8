import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import process from 'node:process';

// To import node:http also loads Node's fetch, which takes a tenth of the time of a start.
const { createServer } = process.getBuiltinModule('node:http');

const PAGE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Miftah</title>' +
  '<p>You are back. The terminal goes on; this page can be closed.</p>' +
  '<p lang="ar" dir="rtl">تمّت العودة. تابع في نافذة الأوامر، ويمكنك إغلاق هذه الصفحة.</p></html>\n';

/**
 * Waits on a free port of this machine for a browser that comes back (RFC 8252 section 7.3), or on
 * the one that is registered. Every page that this machine opens, and every user of it, can send
 * requests there. So only what names the attempt is a return.
 */
export async function listenForReturn(wanted = 0) {
  const { promise: returned, resolve } = Promise.withResolvers<URLSearchParams>();
  let expected: readonly [member: string, id: string] | null = null;
  const server = createServer((request, response) => {
    const query = queryOf(request);
    const [member = '', id = ''] = expected ?? [];
    const isReturn = expected !== null && query?.get(member) === id;
    response.writeHead(isReturn ? 200 : 404, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      // The query has a code, which is nobody else's business.
      'referrer-policy': 'no-referrer',
      connection: 'close',
    });
    response.end(isReturn ? PAGE : '');
    if (isReturn && query !== null) resolve(query);
  });
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    address: `http://127.0.0.1:${port}/`,
    returnOf: (id: string, member: 'attempt_id' | 'state' = 'attempt_id') => {
      expected = [member, id];
      return returned;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Null for every other address than the one that the browser is sent to. */
function queryOf({ method, url = '' }: IncomingMessage): URLSearchParams | null {
  const address = method === 'GET' ? URL.parse(url, 'http://127.0.0.1') : null;
  return address?.pathname === '/' ? address.searchParams : null;
}
