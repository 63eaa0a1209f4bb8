import { expect, test } from 'vitest';
import { cookiesOf } from './cookies.ts';

const key = (fill: number) => new Uint8Array(32).fill(fill);
const [CURRENT, RETIRED, OTHER] = [key(1), key(2), key(3)];
const settings = { publicUrl: 'https://login.test' };
const COOKIE = '__Secure-miftah_interaction=V1StGXR8_Z5jdHi6B-myT';

function signaturesBy(current: Uint8Array, ...retired: Uint8Array[]) {
  return cookiesOf({ services: { keys: { current, retired } }, settings }, 'own').keys;
}

test('a cookie is that of its signature, under a key of the server, and whole', () => {
  const { sign, index } = signaturesBy(CURRENT, RETIRED);
  expect(index(COOKIE, sign(COOKIE))).toBe(0);
  expect(index(COOKIE, signaturesBy(RETIRED).sign(COOKIE))).toBe(1);
  expect(index(COOKIE, signaturesBy(OTHER).sign(COOKIE))).toBe(-1);
  expect(index(`${COOKIE}x`, sign(COOKIE))).toBe(-1);
  expect(index(COOKIE, sign(COOKIE).slice(1))).toBe(-1);
  expect(index(COOKIE, '')).toBe(-1);
});
