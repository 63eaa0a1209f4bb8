// Changes valid tokens at random, a hundred thousand times, and checks that none is accepted that
// should be refused. `npm run fuzz:tokens`, or with other numbers: `-- RUNS SEED`.

import process from 'node:process';
import { fuzzTokens } from '../support/provider/fuzz.ts';
import { Forge } from '../support/provider/token-forge.ts';

const DEFAULT_RUNS = 100_000;

const [runs = DEFAULT_RUNS, seed = 1] = process.argv.slice(2).map(Number);
const begin = performance.now();
const { refused, harmless, wrong } = await fuzzTokens(new Forge(2048), runs, seed);
const seconds = ((performance.now() - begin) / 1000).toFixed(1);

console.log(`${runs} changed tokens, seed ${seed}, ${seconds} s`);
console.log(`${refused} refused, ${harmless} accepted and right, ${wrong.length} wrong`);
for (const one of wrong.slice(0, 20)) console.log(one);
if (wrong.length > 0) process.exitCode = 1;
