// Long runs of the fault tests of `npm test`:
// npm run faults [-- --kills 500 --postgres-kills 100 --roll-outs 50
//   --requests 500000 --disks 3]
// `--only NAME` runs one of them; a wrong name prints all. TEST_SEED repeats a run.
// What each run found is added to docs/reliability/ and to the table in docs/reliability.md;
// `--no-record` writes nothing, and `--page` only writes the table again from what is there.
// `--add FOLDER` runs nothing, and adds the runs that another checkout has in its docs/reliability.
// Exit code 1 means that something was lost, answered wrongly, leaked or delayed.

import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { finishRun } from '../support/canaries/finish-run.ts';
import { openRunFolder } from '../support/canaries/run-folder.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';
import type { FaultOutcome, FaultRun } from './faults/fault-run.ts';
import { FAULT_RUNS } from './faults/index.ts';
import { addRecords, readRecords, writePage, writeRecord } from './faults/page.ts';
import { describeMachine, recordOf } from './faults/record.ts';

const SHOWN_FAULTS = 20;

const lengths = Object.assign({}, ...FAULT_RUNS.map(({ options }) => options)) as Readonly<
  Record<string, number>
>;
const { values } = parseArgs({
  options: {
    ...Object.fromEntries(Object.keys(lengths).map((name) => [name, { type: 'string' as const }])),
    add: { type: 'string', multiple: true, default: [] },
    only: { type: 'string' },
    'no-record': { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
  },
});
const asked = FAULT_RUNS.filter(({ name }) => values.only === undefined || values.only === name);
for (const folder of values.add) await addRecords(FAULT_RUNS, pathToFileURL(`${folder}/`));
if (values.page || values.add.length > 0) await writePage(readRecords(FAULT_RUNS));
else if (asked.length > 0) await runAll(asked);
else complain();

function complain(): void {
  const names = FAULT_RUNS.map(({ name }) => name).join(', ');
  console.error(`no fault is called "${values.only}"; there are: ${names}`);
  process.exitCode = 1;
}

async function runAll(runs: readonly FaultRun[]): Promise<void> {
  const seed = chooseSeed();
  console.log(`TEST_SEED=${seed}`);
  const folder = openRunFolder();
  // An orderly exit also ends the services of the run.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  for (const run of runs) await runOne(run, seed);
  console.log(finishRun(folder));
}

async function runOne(fault: FaultRun, seed: number): Promise<void> {
  const machine = describeMachine();
  const started = performance.now();
  const options = optionsOf(fault);
  const outcome = await fault.run({ options, seed, say: (line) => console.log(`  ${line}`) });
  if ('notRun' in outcome) {
    return console.error(`\n  NOT RUN: ${fault.name} (${fault.fault}), since ${outcome.notRun}\n`);
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  summarise(fault, seconds, outcome);
  if (values['no-record']) return;
  const date = new Date().toISOString();
  await writeRecord(recordOf(fault, outcome, { date, seconds, seed, machine }));
  await writePage(readRecords(FAULT_RUNS));
}

/** @throws Error when a number of the command line is none */
function optionsOf({ options }: FaultRun): Readonly<Record<string, number>> {
  const given = Object.entries(options).map(([name, standard]) => {
    const value = Number((values as Record<string, unknown>)[name] ?? standard);
    if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} is not a number`);
    return [name, value] as const;
  });
  return Object.fromEntries(given);
}

function summarise({ name }: FaultRun, seconds: number, outcome: FaultOutcome): void {
  const { faults, ...figures } = outcome;
  console.log(`${name}, ${seconds} s, ${faults.length} faults:`, figures);
  for (const fault of faults.slice(0, SHOWN_FAULTS)) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
