/**
 * A new store in the process of a test is a copy of the first one that was made there: its migrations
 * and their flush take seven milliseconds of the processor, and hundreds of tests begin with a new
 * file. The first one is made by them, and so are those of the programs that tests start.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { MAKER } from '../../../../scripts/new-stores.ts';

type Migrate = (file: string) => void;

/** By the function that made it: where vitest watches, sources that have changed have another. */
const made = new WeakMap<Migrate, Uint8Array>();

function make(draft: string, migrate: Migrate): void {
  const bytes = made.get(migrate);
  if (bytes !== undefined) return writeFileSync(draft, bytes);
  migrate(draft);
  made.set(migrate, readFileSync(draft));
}

// A file of set-up is evaluated for each test file of a worker.
const maker = Symbol.for(MAKER);
if (!Reflect.has(globalThis, maker)) Reflect.set(globalThis, maker, make);
