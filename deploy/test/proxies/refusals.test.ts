import { ERROR_STATUS, isErrorCode, type ErrorCode } from '@miftah/contract';
import { expect, onTestFinished } from 'vitest';
import { openInstance } from '../support/proxies/instance.ts';
import { kindOf } from '../support/proxies/kinds.ts';
import { openProxy } from '../support/proxies/open-proxy.ts';
import { answersIn, sendBeforeReading } from '../support/proxies/raw-client.ts';
import { eachProxy } from '../support/proxies/scene.ts';

/** What the proxies answer by themselves. */

const OWN = 'Host: login.example.com\r\nConnection: close\r\n';
const get = (lines: string) => `GET /livez HTTP/1.1\r\n${lines}\r\n`;
const post = (lines: string, body = '') => `POST /x HTTP/1.1\r\n${OWN}${lines}\r\n${body}`;

interface Answered {
  readonly status: number;
  readonly code: string;
}

interface Refused {
  readonly bytes: string;
  readonly codes: readonly string[];
}

const malformed = (bytes: string): Refused => ({ bytes, codes: ['request.malformed'] });
const TO_NOBODY = ['request.malformed', 'request.misdirected'];

/** Requests that a proxy answers by itself. */
const REFUSED: Readonly<Record<string, Refused>> = {
  'a line that is no header': malformed(get(`${OWN}no header\r\n`)),
  'two hosts': { bytes: get(`${OWN}Host: evil.example\r\n`), codes: TO_NOBODY },
  'no host': { bytes: get('Connection: close\r\n'), codes: TO_NOBODY },
  'another host': {
    bytes: get('Host: evil.example\r\nConnection: close\r\n'),
    codes: ['request.misdirected'],
  },
  'a line without an address': malformed('GET\r\n\r\n'),
  'a version that is none': malformed(`GET /livez HTTP/9\r\n${OWN}\r\n`),
  'another coding': malformed(post('Transfer-Encoding: x\r\n')),
  'a length that is none': malformed(post('Content-Length: x\r\n')),
  'a CONNECT': {
    bytes: `CONNECT login.example.com:443 HTTP/1.1\r\n${OWN}\r\n`,
    codes: ['request.method_not_allowed', 'request.malformed'],
  },
  'the numbers': { bytes: `GET /metrics HTTP/1.1\r\n${OWN}\r\n`, codes: ['route.not_found'] },
  'a large body': {
    bytes: post('Content-Length: 20000\r\n', ' '.repeat(20_000)),
    codes: ['request.too_large'],
  },
  'a large head': {
    bytes: get(`${OWN}X: ${'x'.repeat(70_000)}\r\n`),
    codes: ['request.headers_too_large'],
  },
};

/** What these two say to a request that their parsers can't read. It can't be configured. */
const BY_PARSER: Readonly<Record<string, RegExp>> = {
  HAProxy: /^HTTP\/1\.1 400 [^]*\r\nContent-Type: text\/html\r\n/i,
  Caddy: /^HTTP\/1\.1 (400|431|501) [^]*\r\nContent-Type: text\/plain/i,
};

eachProxy('%s refuses with problems', async (name) => {
  const instance = await openInstance(onTestFinished);
  const proxy = await openProxy(kindOf(name), [instance.port], onTestFinished);
  for (const [what, { bytes, codes }] of Object.entries(REFUSED)) {
    const text = await sendBeforeReading(proxy, bytes);
    const [{ head, body, status } = { head: '', body: '', status: 0 }] = answersIn(text);
    const isByParser = BY_PARSER[name]?.test(text) ?? false;
    if (isByParser) expect([400, 431], what).toContain(ERROR_STATUS[codeOf(codes[0])]);
    else {
      const problem = JSON.parse(body) as Answered;
      expect(codes, what).toContain(problem.code);
      expect(status, what).toBe(problem.status);
      expect(head, what).toMatch(/^content-type: application\/problem\+json$/im);
      expect(head, what).toMatch(/^strict-transport-security: max-age=31536000$/im);
      if (status === 405) expect(head, what).toMatch(/^allow: GET, HEAD, POST, .*$/im);
    }
  }
  expect(instance.received).toEqual([]);
});

function codeOf(text = ''): ErrorCode {
  if (!isErrorCode(text)) throw new Error(`no code is ${text}`);
  return text;
}
