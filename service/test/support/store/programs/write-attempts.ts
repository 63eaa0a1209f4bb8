// Writes attempts as fast as possible, sixteen at once, and prints the id of each as soon as it is
// acknowledged. After the first refusal it prints the store's state and stops.

import { hrtime } from 'node:process';
import { Refusal } from '../../../../src/errors/refusal.ts';
import { openSqliteStore } from '../../../../src/store/index.ts';
import { attemptNumbered } from '../../../conformance/samples.ts';

const WRITERS = 16;

const [directory = ''] = process.argv.slice(2);
let poison = 'none';
let number = Number(hrtime.bigint() % 2n ** 40n);
const store = await openSqliteStore({ directory, onPoisoned: (reason) => (poison = reason) });

async function write(): Promise<string> {
  for (;;) {
    const attempt = attemptNumbered((number += 1));
    try {
      await store.insertAttempt(attempt);
    } catch (error) {
      return error instanceof Refusal ? error.code : String(error);
    }
    process.stdout.write(`${attempt.attemptId}\n`);
  }
}

const refusals = await Promise.all(Array.from({ length: WRITERS }, () => write()));
const read = await store.findAttempt(attemptNumbered(0).attemptId).then(String, String);
const ready = store.health().ready;
process.stdout.write(
  `${JSON.stringify({ refusals: [...new Set(refusals)], poison, ready, read })}\n`,
);
await store.close();
