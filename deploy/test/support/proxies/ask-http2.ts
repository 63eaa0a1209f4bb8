import { connect, type OutgoingHttpHeaders } from 'node:http2';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { wayTo } from './ask.ts';
import type { Proxy } from './open-proxy.ts';
import { ORIGIN } from './scene.ts';

/** One request over HTTP/2. @throws Error when the proxy ends the stream */
export async function askHttp2(
  proxy: Proxy,
  headers: OutgoingHttpHeaders,
  body?: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const session = connect(ORIGIN, {
    createConnection: () => connectTls({ ...wayTo(proxy, {}), ALPNProtocols: ['h2'] }),
  });
  session.on('error', () => undefined);
  try {
    const stream = session.request(headers, { endStream: body === undefined });
    const status = new Promise<number>((resolve, reject) => {
      stream.once('response', (head) => resolve(Number(head[':status'])));
      stream.once('error', reject);
      stream.once('close', () => reject(new Error('closed without an answer')));
    });
    if (body !== undefined) stream.end(body);
    return { status: await status, text: await text(stream) };
  } finally {
    session.destroy();
  }
}
