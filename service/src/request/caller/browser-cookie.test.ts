import { describe, expect, it } from 'vitest';
import { cookieValues } from './browser-cookie.ts';

const NAME = '__Host-miftah_a';
const PAIR = `${NAME}=secret`;
const BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));

/**
 * The bytes for which the value is still found. HTTP itself removes whitespace around the whole
 * header.
 */
const acceptedIn = (header: (byte: string) => string) =>
  BYTES.filter((byte) => cookieValues(header(byte), NAME).includes('secret'));

describe('the name of a cookie, byte by byte', () => {
  it.each([
    ['before it, first in the header', (byte: string) => `${byte}${PAIR}; a=b`, [';']],
    ['before it, later in the header', (byte: string) => `a=b; ${byte}${PAIR}; c=d`, [';']],
    ['between the separator and it', (byte: string) => `a=b;${byte}${PAIR}`, [' ', ';']],
    ['after it, first in the header', (byte: string) => `${NAME}${byte}=secret; a=b`, []],
    ['after it, later in the header', (byte: string) => `a=b; ${NAME}${byte}=secret`, []],
    ['before the value', (byte: string) => `a=b; ${NAME}=${byte}secret`, []],
    ['after the value', (byte: string) => `a=b; ${PAIR}${byte}; c=d`, [';']],
  ])('a byte %s', (_, header, accepted) => {
    expect(acceptedIn(header)).toEqual(accepted);
  });

  it.each([
    ['a byte order mark', '\u00ef\u00bb\u00bf'],
    ['a no-break space in UTF-8', '\u00c2\u00a0'],
    ['an en quad in UTF-8', '\u00e2\u0080\u0080'],
    ['an ideographic space in UTF-8', '\u00e3\u0080\u0080'],
    ['a line separator in UTF-8', '\u00e2\u0080\u00a8'],
    ['two spaces', '  '],
    ['a nameless cookie', '='],
    ['another case', ''],
  ])('%s is no part of it', (what, before) => {
    const pair = what === 'another case' ? PAIR.toLowerCase() : before + PAIR;
    expect(cookieValues(`a=b; ${pair}`, NAME)).toEqual([]);
    expect(cookieValues(pair, NAME)).toEqual([]);
  });

  it('each one is given, so that two can be refused', () => {
    expect(cookieValues(`${PAIR}; ${NAME}=other;${NAME}=`, NAME)).toEqual(['secret', 'other', '']);
    expect(cookieValues('', NAME)).toEqual([]);
  });
});
