import type { SeededRandom } from '../../faults/seeded-random.ts';

/** Not allowed in a header's value (RFC 9110 section 5.5). */
// oxlint-disable-next-line no-control-regex -- they are what it is about
export const CONTROL_CHARACTERS = /[\u0000-\u0008\u000a-\u001f\u007f]/g;

const MEDIA_TYPES: readonly string[] = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/json; charset=utf-8; charset=x',
  'application/json\t;a',
  'application/json ;a',
  'application/jsonx',
  'APPLICATION/JSON',
  'application/vnd.api+json',
  'application/problem+json',
  'application/xml',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/json, application/json',
  '*/*',
  '/',
  'a',
  ';',
  '"',
  'application/json;__proto__=1',
  `a/${'b'.repeat(2000)}`,
];

const HEADERS: readonly string[] = [
  'X-Forwarded-For: 203.0.113.7',
  `X-Forwarded-For: ${'203.0.113.7, '.repeat(200)}203.0.113.7`,
  "X-Forwarded-For: ' OR 1=1",
  'Forwarded: for=203.0.113.7;host=other.invalid;proto=https',
  'X-Forwarded-Host: other.invalid',
  'X-Forwarded-Proto: javascript',
  'X-Real-IP: 203.0.113.7',
  'X-HTTP-Method-Override: DELETE',
  'X-Original-URL: /readyz',
  'X-Request-Id: forged',
  'Origin: https://other.invalid',
  'Origin: null',
  'Origin: http://localhost:1',
  'Sec-Fetch-Site: cross-site',
  'Referer: https://other.invalid/',
  'Accept-Language: ar',
  'Accept-Language: *;q=0.1,ar;q=9,en;q=-1,__proto__',
  `Accept-Language: ${'ar,'.repeat(1000)}en`,
  'Accept-Encoding: gzip, br, zstd',
  'Cookie: __proto__=1; a=b; a=c',
  'Range: bytes=0-0,1-1,5-2',
  'If-None-Match: *',
  'If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT',
  'Expect: 100-continue',
  'Expect: 200-ok',
  'Max-Forwards: 0',
  'Via: 1.1 x',
  'TE: trailers',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Connection: close',
  'Connection: X-Provider-Attempt-Token',
  'Keep-Alive: timeout=99999999',
  'HTTP2-Settings: AAMAAABkAAQAAP__',
  '__proto__: polluted',
  'constructor: polluted',
  'toString: polluted',
  'Access-Control-Request-Method: POST',
  'Access-Control-Request-Headers: x',
  'Content-Encoding: gzip',
  `X-Long: ${'a'.repeat(4000)}`,
];

const MANY = Array.from({ length: 120 }, (_, index) => `X-Many-${index}: ${index}`);

export function hostileHeaders(random: SeededRandom): readonly string[] {
  if (random.chance(0.01)) return MANY;
  return Array.from({ length: random.pick([0, 0, 1, 1, 2, 4]) }, () => random.pick(HEADERS));
}

export function hostileMediaType(random: SeededRandom): string {
  return random.pick(MEDIA_TYPES);
}
