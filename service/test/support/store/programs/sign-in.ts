// Signs people in as fast as possible, eight at once. Each person signs in until an operator
// disables them; then the next one follows. Prints the id of each user after their first sign-in,
// and at the end how many sign-ins were acknowledged.

import { hrtime } from 'node:process';
import { openSqliteStore } from '../../../../src/store/index.ts';
import {
  attemptNumbered,
  authentication,
  redemption,
  samplePerson,
} from '../../../conformance/samples.ts';

const WRITERS = 8;

const [directory = '', key = ''] = process.argv.slice(2);
const store = await openSqliteStore({
  directory,
  auditKeys: () => [Buffer.from(key, 'hex')],
  onPoisoned: (reason) => process.stdout.write(`poisoned ${reason}\n`),
});
const counts = { authenticated: 0, issued: 0, refused: 0 };
const { signal: done, abort } = stopping();
let number = Number(hrtime.bigint() % 2n ** 40n);
process.stdin.on('end', abort).resume();

function stopping() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** The id of the user if the sign-in gave a token. */
async function signIn(documentNumber: string): Promise<number | null> {
  const attempt = attemptNumbered((number += 1));
  await store.insertAttempt(attempt);
  const person = samplePerson({ documentNumber });
  const login = await store.authenticateAttempt(authentication(attempt, { person }));
  if (login !== null) counts.authenticated += 1;
  const issued = await store.redeemAttempt(redemption(attempt));
  if (issued === null) counts.refused += 1;
  else counts.issued += 1;
  return issued?.userId ?? null;
}

async function signInForEver(writer: number): Promise<void> {
  for (let person = 0; !done.aborted; person += 1) {
    const name = `${writer} ${person}`;
    const id = await signIn(name);
    process.stdout.write(`${id}\n`);
    while (!done.aborted && (await signIn(name)) !== null);
  }
}

await Promise.all(Array.from({ length: WRITERS }, (_, writer) => signInForEver(writer)));
process.stdout.write(`${JSON.stringify(counts)}\n`);
await store.close();
