// Plays random operations on the model, SQLite, PostgreSQL, and three instances on one
// PostgreSQL, and compares every answer and what is stored at the end:
// npm run differential [-- --operations 1000000 --seed 7 --races 1000]
// Then 64 redemptions at once for each of 1,000 attempts, over three instances.
// Exit code 1 means that a store did something else than the model. The line of a difference
// names the options that repeat its part of the run.

import process from 'node:process';
import { parseArgs } from 'node:util';
import { compareEngines, openEngines } from '../../support/differential/compare.ts';
import { faultsOfLog } from '../../support/differential/worlds.ts';
import { RACERS, raceForTokens } from '../../support/differential/racers.ts';
import { chooseSeed } from '../../support/faults/seeded-random.ts';
import { ask, createSorted, urlOf } from '../../support/postgres/databases.ts';
import { openInstance } from '../../support/postgres/instances.ts';
import { startPostgres } from '../../support/postgres/server.ts';

const SHOWN = 20;
const BETWEEN_WORDS = 50_000;

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '1000000' },
    seed: { type: 'string' },
    races: { type: 'string', default: '1000' },
  },
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
  const wrong = await race(three ?? url);
  if (differences.length + wrong > 0) process.exitCode = 1;
} finally {
  for (const end of endings.toReversed()) await end();
}

async function database(url: string, name: string): Promise<string> {
  await createSorted((sql) => ask(url, sql), name);
  return urlOf(url, name);
}

async function race(address: string): Promise<number> {
  const stores = await Promise.all([1, 2, 3].map(() => openInstance(address)));
  for (const store of stores) atEnd(() => store.close());
  const { attempts, wrong } = await raceForTokens(stores, Number(values.races));
  for (const one of wrong.slice(0, SHOWN)) console.log(one);
  const ofLog = await Promise.all(
    stores.map(async (store) => faultsOfLog(await store.verifyAudit())),
  );
  console.log(`${attempts} times ${RACERS} redemptions at once: ${wrong.length} wrong`);
  console.log(ofLog.flat()[0] ?? 'the audit log verifies');
  return wrong.length + ofLog.flat().length;
}

function sentenceOf(operations: number, differences: number): string {
  const seconds = ((performance.now() - begin) / 1000).toFixed(0);
  return `${operations} operations on each of 3 engines and the model, ${seconds} s: ${differences} differences`;
}
