// Plays random operations on the memory store, SQLite, PostgreSQL, and three instances on one
// PostgreSQL, and compares every answer and what is stored at the end:
// npm run differential [-- --operations 1000000 --seed 7]
// Exit code 1 means that a store did something else than the memory store. The line of a difference
// names the options that repeat its part of the run.

import process from 'node:process';
import { parseArgs } from 'node:util';
import { compareEngines, openEngines } from '../../support/differential/compare.ts';
import { chooseSeed } from '../../support/faults/seeded-random.ts';
import { ask, createSorted, urlOf } from '../../support/postgres/databases.ts';
import { startPostgres } from '../../support/postgres/server.ts';

const SHOWN = 20;
const BETWEEN_WORDS = 50_000;

const { values } = parseArgs({
  options: { operations: { type: 'string', default: '1000000' }, seed: { type: 'string' } },
});
const seed = values.seed === undefined ? chooseSeed() : Number(values.seed);
console.log(`--seed ${seed}`);

const endings: (() => void | Promise<void>)[] = [];
const atEnd = (work: () => void | Promise<void>) => void endings.push(work);
const begin = performance.now();
try {
  const { url, close } = await startPostgres();
  atEnd(close);
  const [one, three] = await Promise.all(['one', 'three'].map((name) => database(url, name)));
  const engines = await openEngines({ one: one ?? url, three: three ?? url }, atEnd);
  let nextWord = BETWEEN_WORDS;
  const { operations, differences } = await compareEngines(
    engines,
    seed,
    Number(values.operations),
    (soFar) => {
      if (soFar.operations < nextWord) return;
      nextWord += BETWEEN_WORDS;
      console.log(sentenceOf(soFar.operations, soFar.differences.length));
    },
  );
  for (const difference of differences.slice(0, SHOWN)) console.log(difference);
  console.log(sentenceOf(operations, differences.length));
  if (differences.length > 0) process.exitCode = 1;
} finally {
  for (const end of endings.toReversed()) await end();
}

async function database(url: string, name: string): Promise<string> {
  await createSorted((sql) => ask(url, sql), name);
  return urlOf(url, name);
}

function sentenceOf(operations: number, differences: number): string {
  const seconds = ((performance.now() - begin) / 1000).toFixed(0);
  return `${operations} operations on each of 3 engines and the model, ${seconds} s: ${differences} differences`;
}
