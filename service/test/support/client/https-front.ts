import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { pipeline } from 'node:stream';
import { temporaryFolder, type AtEnd } from '../at-end.ts';
import { certify } from '../certificate.ts';

const HOST = 'localhost';

/**
 * A proxy on https before an application on http, with a certificate that nobody knows. It passes
 * everything on as it comes, also an answer that breaks off.
 * @param port of the application
 */
export async function openHttpsFront(
  port: number,
  atEnd: AtEnd,
): Promise<{ readonly origin: string }> {
  const { certificateFile, keyFile } = certify(temporaryFolder('https', atEnd), 'front', HOST);
  const options = { cert: readFileSync(certificateFile), key: readFileSync(keyFile) };
  const server = createServer(options, (asked, answer) => passOn(port, asked, answer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return { origin: `https://${HOST}:${address.port}` };
}

function passOn(port: number, asked: IncomingMessage, answer: ServerResponse): void {
  const { method, url: path, headers } = asked;
  // A connection of its own for each: one that was kept may be closed at the moment of its next use.
  const to = { host: '127.0.0.1', port, agent: false };
  const onward = request({ ...to, method, path, headers }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers);
    // Ends the answer as the onward one ends: it is destroyed where that one breaks off.
    pipeline(got, answer, () => undefined);
  });
  onward.once('error', () => answer.destroy());
  answer.once('close', () => onward.destroy());
  asked.pipe(onward);
}
