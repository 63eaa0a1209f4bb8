import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/values/time.ts';
import { RawConnection } from '../support/attacks/hostile/raw-connection.ts';
import { BEHIND_PROXY, eachOf } from '../support/attacks/crowd.ts';
import { shareOpened } from '../support/live/live-service.ts';
import { comeBack, exchangesOf, launched, returnUrl } from '../support/live/steps.ts';

const scene = shareOpened({ settings: BEHIND_PROXY });

/** The cookie of the launching browser. */
interface Own {
  readonly name: string;
  readonly value: string;
}

/** The result of a return with these Cookie headers, and the attempt's state after it. */
async function returnWith(linesOf: (own: Own) => readonly string[]) {
  const started = await scene().bank.startRedirect();
  const launcher = await launched(started);
  const [[name = '', value = ''] = []] = launcher.cookies;
  scene().provider.approve(started.attempt_id);
  const { host, port, pathname, search } = new URL(returnUrl(scene(), started));
  const head = [`GET ${pathname}${search} HTTP/1.1`, `Host: ${host}`, 'Connection: close'];
  const bytes = `${[...head, ...linesOf({ name, value })].join('\r\n')}\r\n\r\n`;
  const connection = new RawConnection(Number(port));
  const status = (await connection.exchange(bytes, 'GET'))?.status;
  connection.close();
  const exchanges = exchangesOf(scene(), started);
  const afterwards = (await comeBack(scene(), started, launcher)).status;
  return { status, exchanges, afterwards };
}

const one = (header: (own: Own) => string) => (own: Own) => [`Cookie: ${header(own)}`];

const STRANGE = { status: 403, exchanges: 0, afterwards: 403 };
const OWN = { status: 303, exchanges: 1, afterwards: 303 };
/**
 * HTTP does not permit these bytes in a header, so the request is refused before it is a return.
 */
const IMPOSSIBLE = { status: 400, exchanges: 0, afterwards: 303 };

const isImpossible = (byte: number) => (byte < 0x20 && byte !== 0x09) || byte === 0x7f;
const hex = (text: string) => Buffer.from(text, 'latin1').toString('hex');
const BYTES = Array.from({ length: 256 }, (_, byte) => byte);
const AT_ONCE = 64;

const PLACES: Readonly<Record<string, (byte: string) => (own: Own) => readonly string[]>> = {
  'before the name, later in the header': (byte) =>
    one(({ name, value }) => `a=b; ${byte}${name}=${value}`),
  'before the name, first in the header': (byte) =>
    one(({ name, value }) => `${byte}${name}=${value}; a=b`),
  'after the name, later in the header': (byte) =>
    one(({ name, value }) => `a=b; ${name}${byte}=${value}`),
  'after the name, first in the header': (byte) =>
    one(({ name, value }) => `${name}${byte}=${value}; a=b`),
};

/** Whitespace directly after `Cookie:` is removed by HTTP itself, and `;` separates pairs. */
function expected(place: string, byte: number) {
  if (isImpossible(byte)) return IMPOSSIBLE;
  const isBefore = place.startsWith('before');
  if (isBefore && byte === 0x3b) return OWN;
  const isHttps = place.startsWith('before the name, first') && (byte === 0x20 || byte === 0x09);
  return isHttps ? OWN : STRANGE;
}

/** Bytes that some text function, parser or browser treats as whitespace. */
const BLANKS = [0x00, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1f, 0x20, 0x22, 0x3b, 0x3d, 0x85, 0xa0];

describe('threat 58: a cookie whose name is nearly that of the browser’s own', () => {
  it.each(Object.entries(PLACES))(
    'a byte %s',
    async (place, linesOf) => {
      const bytes = place === 'before the name, later in the header' ? BYTES : BLANKS;
      const found: [string, unknown][] = [];
      for (let from = 0; from < bytes.length; from += AT_ONCE) {
        // A back end may start 600 attempts per minute, so each round uses another minute.
        scene().clock.advance(MINUTE_MS);
        const some = bytes.slice(from, from + AT_ONCE);
        const results = await eachOf(some, (byte) =>
          returnWith(linesOf(String.fromCharCode(byte))),
        );
        found.push(...some.map((byte, index): [string, unknown] => [`${byte}`, results[index]]));
      }
      expect(found).toEqual(bytes.map((byte) => [`${byte}`, expected(place, byte)]));
    },
    120_000,
  );

  it.each(
    ['\u00ef\u00bb\u00bf', '\u00c2\u00a0', '\u00e2\u0080\u0080', '\u00e3\u0080\u0080', '  '].map(
      (before) => [hex(before), before],
    ),
  )('the bytes %s before the name', async (_, before) => {
    expect(await returnWith(one(({ name, value }) => `a=b; ${before}${name}=${value}`))).toEqual(
      STRANGE,
    );
  });

  it.each<[string, (own: Own) => readonly string[]]>([
    ['twice in one header', one(({ name, value }) => `${name}=${value}; ${name}=${value}`)],
    [
      'in two headers',
      ({ name, value }) => [`Cookie: ${name}=${value}`, `Cookie: ${name}=${value}`],
    ],
    ['in another case', one(({ name, value }) => `${name.toLowerCase()}=${value}`)],
    ['without a name', one(({ name, value }) => `=${name}=${value}`)],
    ['behind a comma', one(({ name, value }) => `a=b, ${name}=${value}`)],
    ['in quotes', one(({ name, value }) => `${name}="${value}"`)],
    [
      'in the second header behind a blank',
      ({ name, value }) => ['Cookie: a=b', `Cookie: \u00a0${name}=${value}`],
    ],
  ])('%s', async (_, linesOf) => {
    expect(await returnWith(linesOf)).toEqual(STRANGE);
  });

  it.each<[string, (own: Own) => readonly string[]]>([
    ['alone', one(({ name, value }) => `${name}=${value}`)],
    ['behind another one without a blank', one(({ name, value }) => `a=b;${name}=${value}`)],
    [
      'in the second header, as a proxy may split it',
      ({ name, value }) => ['Cookie: a=b', `Cookie: ${name}=${value}`],
    ],
  ])('the right one is known %s', async (_, linesOf) => {
    expect(await returnWith(linesOf)).toEqual(OWN);
  });
});
