// The health check of the image: ends with 0 when the service in this container is ready, else with
// 1 and the reason. It asks as others do, by the name in PUBLIC_URL, because the service answers to
// no other name in live mode.

import { get } from 'node:http';
import process from 'node:process';

const TIMEOUT_MS = 4000;
const ALL_ADDRESSES = new Set(['', '0.0.0.0', '::']);

const { HOST = '', PORT = '3000', PUBLIC_URL = '' } = process.env;
const host = ALL_ADDRESSES.has(HOST) ? '127.0.0.1' : HOST;
const name = PUBLIC_URL === '' ? 'localhost' : new URL(PUBLIC_URL).host;

/** @param {string} reason */
function fail(reason) {
  console.error(reason);
  process.exitCode = 1;
}

const request = get({
  host,
  port: PORT,
  path: '/readyz',
  headers: { host: name },
  timeout: TIMEOUT_MS,
});
request.once('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
request.once('error', (error) => fail(error.message));
request.once('response', (response) => {
  let body = '';
  response.setEncoding('utf8').on('data', (part) => (body += part));
  response.once('end', () => {
    if (response.statusCode !== 200) fail(`${response.statusCode} ${body}`);
  });
});
