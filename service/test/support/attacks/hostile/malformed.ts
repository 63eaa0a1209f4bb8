import type { SeededRandom } from '../../faults/seeded-random.ts';
import type { HostileRequest } from './hostile-request.ts';
import { INJECTED_HEADER, noise } from './values.ts';

/** A second request inside the body of the first; an answer to it would show request smuggling. */
const SMUGGLED = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n';

type Spoil = (parts: Parts, random: SeededRandom) => string;

interface Parts {
  readonly method: string;
  readonly target: string;
  readonly line: string;
  readonly headers: string;
  readonly body: string;
}

/** Requests that are not valid HTTP, or that two parsers could read differently. */
const SPOILS: readonly Spoil[] = [
  // The request line.
  ({ target }) => `${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  ({ target }) => `G\u0000T ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  ({ target }) => `get ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  ({ target }) => `${'A'.repeat(9000)} ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  ({ target, headers }) => `GET ${target} HTTP/9.9\r\n${headers}\r\n\r\n`,
  ({ target, headers }) => `GET ${target} HTTP/1.1 x\r\n${headers}\r\n\r\n`,
  ({ target, headers }) => `GET\t${target}\tHTTP/1.1\r\n${headers}\r\n\r\n`,
  ({ target }) => `GET ${target}\r\n\r\n`,
  ({ target, headers }) => `GET ${target} a b HTTP/1.1\r\n${headers}\r\n\r\n`,
  ({ target }) => `GET ${target} HTTP/1.0\r\n\r\n`,
  ({ target }) => `GET ${target} HTTP/1.1\r\n\r\n`,
  ({ headers }) => `CONNECT other.invalid:443 HTTP/1.1\r\n${headers}\r\n\r\n`,
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  (_, random) => noise(random, random.between(1, 3000)),
  // Headers.
  ({ line, headers }) => `${line}\n${headers.replaceAll('\r\n', '\n')}\n\n`,
  ({ line, headers }) => `${line}\r${headers.replaceAll('\r\n', '\r')}\r\r`,
  ({ line, headers }) => `${line}\r\n${headers}\r\n folded: yes\r\n\r\n`,
  ({ line, headers }) => `${line}\r\n${headers}\r\nno colon here\r\n\r\n`,
  ({ line, headers }) => `${line}\r\n${headers}\r\n: no name\r\n\r\n`,
  ({ line, headers }) => `${line}\r\n${headers}\r\nX-Space : 1\r\n\r\n`,
  ({ line, headers }) => `${line}\r\n${headers}\r\nX-Zero: a\u0000b\r\n\r\n`,
  ({ line, headers }) => `${line}\r\n${headers}\r\nX-R: a\r${INJECTED_HEADER}: 1\r\n\r\n`,
  ({ line, headers }) => `${line}\r\n${headers}\r\nX-Huge: ${'a'.repeat(20_000)}\r\n\r\n`,
  ({ line, headers }) => `${line}\r\n${headers}\r\n${'X-A: b\r\n'.repeat(3000)}\r\n`,
  ({ line, headers }) => `${line}\r\n${headers}\r\nHost: other.invalid\r\n\r\n`,
  ({ line }) => `${line}\r\nHost: other.invalid\r\n\r\n`,
  ({ line }) => `${line}\r\nHost: localhost:99999999\r\n\r\n`,
  ({ line }) => `${line}\r\nHost: [::1\r\n\r\n`,
  ({ line }) => `${line}\r\nHost: localhost@other.invalid\r\n\r\n`,
  ({ line }) => `${line}\r\nHost:\r\n\r\n`,
  // Lengths and chunks.
  ({ line }) => smuggle(line, 'Content-Length: 5\r\nContent-Length: 6', 'abcde'),
  ({ line }) => smuggle(line, 'Content-Length: 5, 6', 'abcde'),
  ({ line }) => smuggle(line, 'Content-Length: -5', ''),
  ({ line }) => smuggle(line, 'Content-Length: +5', 'abcde'),
  ({ line }) => smuggle(line, 'Content-Length: 0x5', 'abcde'),
  ({ line }) => smuggle(line, `Content-Length: ${'9'.repeat(30)}`, ''),
  ({ line }) => smuggle(line, 'Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
  ({ line }) => smuggle(line, 'Transfer-Encoding: chunked\r\nContent-Length: 5', '0\r\n\r\n'),
  ({ line }) => smuggle(line, 'Transfer-Encoding: xchunked', '0\r\n\r\n'),
  ({ line }) => smuggle(line, 'Transfer-Encoding : chunked', '0\r\n\r\n'),
  ({ line }) => smuggle(line, 'Transfer-Encoding:\u000bchunked', '0\r\n\r\n'),
  ({ line }) => smuggle(line, 'Transfer-Encoding: chunked, identity', '0\r\n\r\n'),
  ({ line }) => smuggle(line, 'Transfer-Encoding: identity, chunked', 'g\r\n\r\n'),
  ({ line }) => smuggle(line, 'Transfer-Encoding: chunked\r\nTransfer-Encoding: x', '0\r\n\r\n'),
  ({ line }) => smuggle(line, 'Transfer-Encoding: chunked', 'zz\r\n'),
  ({ line }) => smuggle(line, 'Transfer-Encoding: chunked', '5\r\nabc'),
  ({ line }) => smuggle(line, 'Transfer-Encoding: chunked', '-1\r\n'),
  ({ line }) => smuggle(line, 'Transfer-Encoding: chunked', `${'f'.repeat(20)}\r\n`),
  ({ line }) => smuggle(line, 'Transfer-Encoding: chunked', `1;${'a'.repeat(20_000)}\r\na\r\n`),
  ({ line }) => smuggle(line, 'Transfer-Encoding: chunked', '1\nx\n0\n\n'),
  // Incomplete requests.
  ({ line, headers }) => `${line}\r\n${headers}`,
  ({ line, headers, body }) =>
    `${line}\r\n${headers}\r\nContent-Length: 99999\r\n\r\n${body.slice(0, 50_000)}`,
  ({ line }, random) => line.slice(0, random.between(1, line.length)),
];

export function malformed(random: SeededRandom, good: HostileRequest): HostileRequest {
  const [head = '', body = ''] = good.bytes.split('\r\n\r\n', 2);
  const [line = '', ...headers] = head.split('\r\n');
  // The malformed requests set their own lengths.
  const kept = headers.filter((header) => !/^(content-length|expect|connection):/i.test(header));
  const { method, target } = good;
  const parts = { method, target, line, headers: kept.join('\r\n'), body };
  return { ...good, bytes: random.pick(SPOILS)(parts, random), isHttp: false };
}

function smuggle(line: string, lengths: string, body: string): string {
  const post = line.replace(/^\S+/, 'POST');
  const headers = `Host: localhost\r\nContent-Type: application/json\r\n${lengths}`;
  return `${post}\r\n${headers}\r\n\r\n${body}${SMUGGLED}`;
}
