import { describe, expect, it } from 'vitest';
import { idsGivenSince, isUuid, makeAttemptId, parseAttemptId, uuidVersion7 } from './ids.ts';
import { DAY_MS, HOUR_MS } from './time.ts';

const ONES = new Uint8Array(10).fill(0xff);
const ZEROS = new Uint8Array(10);
const AT = Date.UTC(2026, 0, 31);
const drawPlace = () => 5;

describe('a UUID of version 7', () => {
  it('is the example of RFC 9562, appendix A.6', () => {
    const random = Uint8Array.from([0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f]);
    expect(uuidVersion7(0x01_7f_22_e2_79_b0, random)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
  });

  it('has its version and variant whatever chance says', () => {
    expect(uuidVersion7(0, ZEROS)).toBe('00000000-0000-7000-8000-000000000000');
    expect(uuidVersion7(2 ** 48 - 1, ONES)).toBe('ffffffff-ffff-7fff-bfff-ffffffffffff');
  });

  it('sorts by time, also as text', () => {
    const times = [0, 1, 255, 256, 1_800_000_000_000, 1_800_000_000_001, 2 ** 48 - 1];
    const ids = times.map((at, index) => uuidVersion7(at, index % 2 === 0 ? ONES : ZEROS));
    expect(ids.toSorted((one, other) => (one < other ? -1 : 1))).toEqual(ids);
  });

  it('does not change the bytes that it is given', () => {
    const random = Uint8Array.from(ONES);
    uuidVersion7(0, random);
    expect(random).toEqual(ONES);
  });
});

describe('a UUID that could not be unique or well-formed is not made', () => {
  it.each([0, 1, 9])('from %i random bytes', (length) => {
    expect(() => uuidVersion7(0, new Uint8Array(length))).toThrow(RangeError);
  });

  it.each([1.5, -1, Number.NaN, Infinity, 2 ** 48])('at %d milliseconds', (at) => {
    expect(() => uuidVersion7(at, ONES)).toThrow(RangeError);
  });
});

describe('reading a UUID', () => {
  const ID = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';

  it('reads capitals as small letters, where an id is parsed', () => {
    expect(isUuid(ID.toUpperCase())).toBe(false);
    expect(parseAttemptId(ID.toUpperCase())).toBe(ID);
  });

  it('takes the canonical form, of any version', () => {
    for (const text of [ID, '00000000-0000-0000-0000-000000000000']) {
      expect(isUuid(text)).toBe(true);
    }
  });

  it.each([
    '',
    `${ID} `,
    ` ${ID}`,
    `${ID}\n`,
    `{${ID}}`,
    `urn:uuid:${ID}`,
    ID.replaceAll('-', ''),
    ID.slice(0, -1),
    `${ID}0`,
    ID.replace('e', 'g'),
    ID.replace('-', '_'),
    ID.replace('0', '٠'),
  ])('refuses %j', (text) => {
    expect(isUuid(text)).toBe(false);
    expect(parseAttemptId(text)).toBeNull();
  });

  it('takes back what it made', () => {
    const id = makeAttemptId(1_800_000_000_000, ONES);
    expect(parseAttemptId(id)).toBe(id);
  });
});

describe('ids of users that nobody knows of', () => {
  it.each([
    ['no time', AT, 10_000_000],
    ['ten minutes, as two clocks may differ', AT - HOUR_MS / 6, 16_000_000],
    ['a day', AT - DAY_MS, 874_000_000],
    ['a time that the clock does not know', AT + 1, 315_370_000_005],
  ])('in %s as many ids may have been given as a store can take', (_, knownAt, ids) => {
    expect(idsGivenSince(knownAt, AT, drawPlace)).toBe(ids);
  });

  it('a later restore of the same backup leaves out more', () => {
    const later = idsGivenSince(AT, AT + 900_000, drawPlace);
    expect(later).toBeGreaterThan(idsGivenSince(AT, AT + 100_000, drawPlace));
  });
});
