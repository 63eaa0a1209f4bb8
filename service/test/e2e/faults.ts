// The fault tests of `npm test` at length: npm run faults [-- --kills 500 --requests 500000]
// TEST_SEED repeats a run. Exit code 1 says that something was lost, answered wrongly or leaked.

import process from 'node:process';
import { parseArgs } from 'node:util';
import { finishRun } from '../support/canaries/finish-run.ts';
import { openRunFolder } from '../support/canaries/run-folder.ts';
import { runCrashCycles } from './support/crash-cycles.ts';
import { runHostileRequests } from './support/hostile/hostile-run.ts';
import { chooseSeed } from './support/seeded-random.ts';
import { startService } from './support/service-process.ts';

const SHOWN_FAULTS = 20;
const CYCLES_BETWEEN_WORDS = 50;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    requests: { type: 'string', default: '500000' },
  },
});
const seed = chooseSeed();
console.log(`TEST_SEED=${seed}`);
const folder = openRunFolder();
// By an orderly exit the services of the run end too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await killAgainAndAgain();
await sendHostileRequests();
console.log(finishRun(folder));

async function killAgainAndAgain(): Promise<void> {
  const started = performance.now();
  const report = await runCrashCycles(Number(values.kills), seed, (done, { attempts }) => {
    if (done % CYCLES_BETWEEN_WORDS !== 0) return;
    console.log(`  ${done} kills, ${attempts.length} attempts`);
  });
  const { violations, ...figures } = report;
  summarise('kill -9 under load', started, figures, violations);
}

async function sendHostileRequests(): Promise<void> {
  const started = performance.now();
  await using service = await startService();
  const report = await runHostileRequests(service, Number(values.requests), seed);
  const { faults: found, ...figures } = report;
  const said = service.stderr() === '' ? [] : [`stderr: ${service.stderr()}`];
  summarise('hostile requests', started, figures, [...found, ...said]);
}

function summarise(
  what: string,
  started: number,
  figures: object,
  faults: readonly string[],
): void {
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${what}, ${seconds} s, ${faults.length} faults:`, figures);
  for (const fault of faults.slice(0, SHOWN_FAULTS)) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
