/**
 * RSA keys of two primes that were made for the whole run: a search for primes takes forty
 * milliseconds of the processor, and hundreds of tests open a service that needs a key. Each key of a
 * worker has another pair. The programs that tests start make theirs themselves.
 */

import crypto, { createPrivateKey, createPublicKey, generatePrime } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { promisify } from 'node:util';

/** The environment variable with the primes of a run, in hexadecimal digits. */
const PRIMES = 'TEST_PRIMES';
/** For 91 pairs: more than the keys of any one test. */
const COUNT = 14;
const BITS = 2048;
const EXPONENT = 65_537n;
/** The product of two primes above it has all bits. */
const LEAST = 0xb6n << BigInt(BITS / 2 - 8);

/** For all workers of a run. */
export async function makePrimes(): Promise<void> {
  const primes = await Promise.all(Array.from({ length: COUNT }, newPrime));
  process.env[PRIMES] = primes.map((prime) => prime.toString(16)).join(',');
}

/** In threads, on all processors. */
const anyPrime = () =>
  new Promise<bigint>((resolve, reject) => {
    generatePrime(BITS / 2, { bigint: true }, (error, prime) =>
      error instanceof Error ? reject(error) : resolve(prime),
    );
  });

async function newPrime(): Promise<bigint> {
  for (;;) {
    const prime = await anyPrime();
    if (prime > LEAST && prime % EXPONENT !== 1n) return prime;
  }
}

let made = 0;

function nextKeys() {
  const primes = (process.env[PRIMES] ?? '').split(',').map((digits) => BigInt(`0x${digits}`));
  const pairs = primes.flatMap((p, place) => primes.slice(0, place).map((q) => [p, q] as const));
  const [p = 0n, q = 0n] = pairs[made % pairs.length] ?? [];
  made += 1;
  const phi = (p - 1n) * (q - 1n);
  // Of the exponent's multiples of phi the one that leaves a whole number.
  const times = EXPONENT - inverse(phi % EXPONENT, EXPONENT);
  const d = (1n + times * phi) / EXPONENT;
  const numbers = { n: p * q, e: EXPONENT, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n) };
  const members = Object.entries({ ...numbers, qi: inverse(q, p) });
  const jwk = Object.fromEntries(members.map(([name, value]) => [name, encoded(value)]));
  const privateKey = createPrivateKey({ key: { kty: 'RSA', ...jwk }, format: 'jwk' });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** By Euclid's algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [rest, next, factor, nextFactor] = [modulus, value % modulus, 0n, 1n];
  while (next !== 0n) {
    const times = rest / next;
    [rest, next] = [next, rest - times * next];
    [factor, nextFactor] = [nextFactor, factor - times * nextFactor];
  }
  return factor < 0n ? factor + modulus : factor;
}

function encoded(value: bigint): string {
  const digits = value.toString(16);
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString(
    'base64url',
  );
}

/** Whether this is a usual RSA key, which is asked for as an object. */
function isOurs(type: string, options: object): boolean {
  return type === 'rsa' && JSON.stringify(options) === JSON.stringify({ modulusLength: BITS });
}

/** A file of set-up is evaluated for each test file, and this is done once in a worker. */
const IS_DONE = Symbol.for('primes of the run are taken');

/** For whoever asks node:crypto from now on. */
function takeMadePrimes(): void {
  Reflect.set(globalThis, IS_DONE, true);
  const { generateKeyPair, generateKeyPairSync } = crypto;
  /** What the sources call is a promise: none of them passes a function. */
  const asPromise = async (type: 'rsa', options: { readonly modulusLength: number }) =>
    isOurs(type, options) ? nextKeys() : promisify(generateKeyPair)(type, options);
  Object.assign(crypto, {
    generateKeyPair: Object.assign(generateKeyPair.bind(null), { [promisify.custom]: asPromise }),
    generateKeyPairSync: (type: 'rsa', options: { readonly modulusLength: number }) =>
      isOurs(type, options) ? nextKeys() : generateKeyPairSync(type, options),
  });
  syncBuiltinESMExports();
}

if (process.env[PRIMES] !== undefined && !Reflect.has(globalThis, IS_DONE)) takeMadePrimes();
