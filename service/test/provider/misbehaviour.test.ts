import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tlsFaultOf } from '../../src/provider/call/tls-fault.ts';
import {
  cut,
  json,
  openAreaB,
  raw,
  record,
  redirectTo,
  silence,
  text,
  type Script,
} from '../support/provider/area-b.ts';
import { holdDeadline } from '../support/held-deadline.ts';
import {
  openProvider,
  ORDER,
  refusalOf,
  TRANSACTION_ID,
} from '../support/provider/provider-under-test.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
const MEBIBYTE = Buffer.alloc(1024 * 1024, 0x20);
/** The name of a person, in every hostile body: it must never appear in an error. */
const CANARY = 'Canary Alnamuthaji';

/** One byte after the other, without an end; `later` is called when some were sent. */
function dribble(later: () => void): Script {
  return (_call, response) => {
    response.writeHead(200, JSON_TYPE);
    let bytes = 0;
    const timer = setInterval(() => {
      response.write(' ');
      bytes += 1;
      if (bytes === 10) later();
    }, 10);
    response.on('close', () => clearInterval(timer));
  };
}

/** Writes as long as the client reads, up to this amount. */
function pour(mebibytes: number): Script {
  return (_call, response) => {
    response.writeHead(200, JSON_TYPE);
    let left = mebibytes;
    const more = () => {
      while (left > 0 && !response.destroyed) {
        left -= 1;
        if (!response.write(MEBIBYTE)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  };
}

const halfAnAnswer: Script = (_call, response) => {
  response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' });
  response.write(`{"name":"${CANARY}"`, () => response.destroy());
};

const redirect: Script = (call, response) => {
  const location = `${call.path}-elsewhere`;
  response.writeHead(302, { location, ...JSON_TYPE }).end(`{"name":"${CANARY}"}`);
};

/**
 * Faults 22 and 23 of docs/reliability.md: what the provider does, and the error that the caller of
 * a push gets.
 */
const FAULTS: readonly (readonly [string, Script, string])[] = [
  ['500', json({ name: CANARY }, 500), 'provider.unavailable'],
  ['503 with a page', raw(`<h1>${CANARY}</h1>`, 503, {}), 'provider.unavailable'],
  ['429', text('later', 429), 'provider.unavailable'],
  ['403 of the gateway', text('Authentication failed', 403), 'provider.misconfigured'],
  ['404 of the gateway', text('No Mapping Rule matched', 404), 'provider.misconfigured'],
  ['401 without a record', json({ error: CANARY }, 401), 'provider.misconfigured'],
  ['400 without a record', json({ error: CANARY }, 400), 'provider.bad_response'],
  ['a record of an unknown service', record('422-031-046'), 'provider.misconfigured'],
  ['a record nobody knows', record('422-099-099'), 'provider.bad_response'],
  ['a record of another status', recordOf('400-034-050', 422), 'provider.bad_response'],
  ['the connection cut', cut, 'provider.timeout'],
  ['the connection cut in the body', halfAnAnswer, 'provider.timeout'],
  ['a body without an end', pour(Infinity), 'provider.bad_response'],
  ['100 MB', pour(100), 'provider.bad_response'],
  ['one byte too much', sized(256 * 1024 + 1), 'provider.bad_response'],
  ['a gzip bomb', gzip(BOMB), 'provider.bad_response'],
  ['gzip cut off', gzip(gzipSync('{"a":1}').subarray(0, 12)), 'provider.bad_response'],
  ['no gzip', gzip(Buffer.from(`{"a":"${CANARY}"}`)), 'provider.bad_response'],
  ['an unknown encoding', encoded('br'), 'provider.bad_response'],
  ['two encodings', encoded('gzip, gzip'), 'provider.bad_response'],
  ['HTML', raw(`<p>${CANARY}</p>`, 200, { 'content-type': 'text/html' }), 'provider.bad_response'],
  ['no content type', raw(goodPush(), 200, {}), 'provider.bad_response'],
  ['a type that only looks like JSON', typed('application/jsonp'), 'provider.bad_response'],
  ['malformed JSON', jsonText(`{"name":"${CANARY}"`), 'provider.bad_response'],
  ['an empty body', jsonText(''), 'provider.bad_response'],
  ['a byte order mark', jsonText(`\ufeff${goodPush()}`), 'provider.bad_response'],
  ['bytes that are not UTF-8', raw(notUtf8(), 200, JSON_TYPE), 'provider.bad_response'],
  ['a member twice', jsonText(twice()), 'provider.bad_response'],
  [
    'a name in escapes',
    jsonText(goodPush().replace('trans', '\\u0074rans')),
    'provider.bad_response',
  ],
  [
    'JSON too deep',
    jsonText(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    'provider.bad_response',
  ],
  ['JSON too wide', json(Array.from({ length: 1000 }, () => CANARY)), 'provider.bad_response'],
  ['an array', json([CANARY]), 'provider.bad_response'],
  ['null', json(null), 'provider.bad_response'],
  ['a redirect', redirect, 'provider.bad_response'],
  [
    'a redirect with the method kept',
    redirectTo('/stg/api/v1/mfa/request', 307),
    'provider.bad_response',
  ],
  ['421', text('try again', 421), 'provider.bad_response'],
  ['a simulator', json({}, 200, { 'x-auth-mode': 'simulator' }), 'provider.misconfigured'],
  ['no transaction', json({ random: '07' }), 'provider.bad_response'],
  [
    'a transaction that is no UUID',
    json({ transId: CANARY, random: '07' }),
    'provider.bad_response',
  ],
  [
    'a number to match that lost its form',
    json({ transId: TRANSACTION_ID, random: 7 }),
    'provider.bad_response',
  ],
  ['an unknown record', record('422-016-023'), 'provider.record_not_found'],
  ['an active transaction', record('400-034-050'), 'push.budget_spent'],
];

function recordOf(code: string, status: number): Script {
  return json(
    { status: String(status), timestamp: null, message: CANARY, code, reference: 1 },
    status,
  );
}

function goodPush(): string {
  return JSON.stringify({ transId: TRANSACTION_ID, random: '07' });
}

function twice(): string {
  return `{"transId":"${TRANSACTION_ID}","random":"07","random":"12"}`;
}

/** All required members are there; only an additional name is not UTF-8. */
function notUtf8(): Buffer {
  return Buffer.from(goodPush().replace('{', '{"name":"\u00ff\u00fe",'), 'latin1');
}

function jsonText(content: string): Script {
  return raw(content, 200, JSON_TYPE);
}

function sized(bytes: number): Script {
  return jsonText(goodPush().padEnd(bytes));
}

function typed(type: string): Script {
  return raw(goodPush(), 200, { 'content-type': type });
}

function gzip(content: Buffer): Script {
  return raw(content, 200, { ...JSON_TYPE, 'content-encoding': 'gzip' });
}

function encoded(encoding: string): Script {
  return raw(goodPush(), 200, { ...JSON_TYPE, 'content-encoding': encoding });
}

async function expectRefused(code: string, script: Script): Promise<void> {
  const areaB = await openAreaB(script);
  const { provider, records } = openProvider(areaB.url);
  const refusal = await refusalOf(provider.requestPush(ORDER));
  expect(refusal.code).toBe(code);
  expect(areaB.calls).toHaveLength(1);
  const said = JSON.stringify([records, refusal, refusal.message, String(refusal.cause)]);
  expect(said).not.toContain('Canary');
  expect(said).not.toContain(ORDER.nationalId);
  expect(said).not.toContain('key-canary');
}

describe('a push that meets', () => {
  it.each(FAULTS)('%s', async (_, script, code) => expectRefused(code, script));

  it.each([
    ['silence', (later: () => void): Script => later],
    ['one byte now and then', dribble],
  ])('%s', async (_, scriptOf) => expectRefused('provider.timeout', scriptOf(holdDeadline())));

  it('nobody at the address', async () => {
    const { provider, records } = openProvider(await closedAddress());
    const refusal = await refusalOf(provider.requestPush(ORDER));
    expect(refusal.code).toBe('provider.unavailable');
    expect(refusal.details.retryAfterSeconds).toBeGreaterThan(0);
    expect(records).toMatchObject([{ status: null, refusal: 'provider.unavailable' }]);
  });

  it('a server that cannot speak TLS', async () => {
    const areaB = await openAreaB(silence);
    const { provider } = openProvider(areaB.url.replace('http:', 'https:'));
    const refusal = await refusalOf(provider.requestPush(ORDER));
    expect(refusal.code).toBe('provider.misconfigured');
    expect(areaB.calls).toEqual([]);
  });

  it('an answer as large as is allowed, or packed though nobody asked for it', async () => {
    const areaB = await openAreaB(sized(256 * 1024));
    const { provider } = openProvider(areaB.url);
    await expect(provider.requestPush(ORDER)).resolves.toMatchObject({ bindingCode: '07' });
    areaB.act(gzip(gzipSync(goodPush())));
    await expect(provider.requestPush(ORDER)).resolves.toMatchObject({ bindingCode: '07' });
  });
});

it('stops an answer without an end, rather than only reading no more of it', async () => {
  const stopped = Promise.withResolvers<boolean>();
  const areaB = await openAreaB((call, response) => {
    response.once('close', () => stopped.resolve(!response.writableFinished));
    pour(Infinity)(call, response);
  });
  await refusalOf(openProvider(areaB.url).provider.requestPush(ORDER));
  await expect(stopped.promise).resolves.toBe(true);
});

it.each([
  ['CERT_HAS_EXPIRED', 'certificate_expired'],
  ['CERT_REVOKED', 'certificate_invalid'],
  ['INVALID_CA', 'certificate_invalid'],
  ['CRL_HAS_EXPIRED', 'certificate_invalid'],
  ['HOSTNAME_MISMATCH', 'certificate_wrong_name'],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls_failed'],
  ['EPROTO', 'tls_failed'],
  ['ECONNREFUSED', null],
  ['ENOTFOUND', null],
  ['UND_ERR_CONNECT_TIMEOUT', null],
  ['constructor', null],
])('takes %s for %s', (code, fault) => expect(tlsFaultOf(code)).toBe(fault));

/** A port that was free a moment ago. */
async function closedAddress(): Promise<string> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : '';
}
