import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { TestService } from './test-service.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Sends bytes that no HTTP client would send, and reads until the service closes the connection.
 * The request must ask for that, unless it causes it anyway.
 */
export async function sendRaw({ app }: TestService, bytes: string): Promise<RawAnswer> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.write(bytes, 'latin1');
  let answer = '';
  for await (const piece of socket) answer += String(piece);
  return parseAnswer(Buffer.from(answer, 'latin1').toString());
}

export function parseAnswer(answer: string): RawAnswer {
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...rest] = line.split(': ');
    return [name.toLowerCase(), rest.join(': ')];
  });
  return { status: Number(statusLine.split(' ')[1]), headers: new Map(headers), body };
}
