// Whether the tests would notice: npm run planted [-- --only <name>] [-- --list]
// In a copy of the checkout, each bug of planted-bugs.ts is planted by itself, and the test that is
// named beside it has to turn red. Last, a comparison that ends early has to show in the time of an
// answer, and the real one must not. Exit code 1 says that something would not be noticed.

import { dirname } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { EARLY_EXIT } from './bugs/timing.ts';
import { PLANTED_BUGS } from './planted-bugs.ts';
import { listSources, openWorkshop, type Workshop } from './support/checkout-copy.ts';
import { judgeBugs, type Judged } from './support/judge-bugs.ts';
import type { Mistake } from './support/planted-bug.ts';
import { IT_SHOWS, measureTimings, NOTHING_SHOWS } from './support/timing.ts';

const LIMITS = { soundMs: 600_000, bugMs: 90_000 };
const ROOT = dirname(dirname(dirname(import.meta.dirname)));

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
    samples: { type: 'string', default: '20000' },
  },
});
if (values.list) list();
else await run();

function list(): void {
  for (const { name, edits, test } of PLANTED_BUGS) {
    console.log(`${name}\n    ${filesOf(edits)}\n    ${test.file} > ${test.name}`);
  }
  console.log(`${EARLY_EXIT.name}\n    ${filesOf(EARLY_EXIT.edits)}\n    the times of answers`);
}

async function run(): Promise<void> {
  const isAsked = ({ name }: Mistake) => values.only === undefined || values.only === name;
  const bugs = PLANTED_BUGS.filter(isAsked);
  const timed = isAsked(EARLY_EXIT);
  if (bugs.length === 0 && !timed) throw new Error(`no bug is called "${values.only}": see --list`);
  const began = performance.now();
  const workshop = openWorkshop(ROOT, listSources(ROOT));
  process.once('exit', () => workshop.remove());
  // By an orderly exit what runs in the copy ends too.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  let caught = 0;
  await judgeBugs(workshop, bugs, LIMITS, (judged) => {
    if (judged.verdict === 'red') caught += 1;
    say(judged);
  });
  if (timed && (await timingsHold(workshop))) caught += 1;
  const seconds = Math.round((performance.now() - began) / 1000);
  const all = bugs.length + (timed ? 1 : 0);
  console.log(`\n${caught} of ${all} planted bugs are noticed, ${seconds} s`);
  if (caught < all) process.exitCode = 1;
}

function say({ bug, verdict, reason }: Judged): void {
  const mark = verdict === 'red' ? 'red ✓' : verdict.toUpperCase();
  const { file, name } = bug.test;
  console.log(`${mark.padEnd(10)} ${bug.name}\n           ${filesOf(bug.edits)}`);
  console.log(`           ${file} > ${name}`);
  if (verdict !== 'red' && reason !== '') console.log(`           ${reason}`);
}

async function timingsHold(workshop: Workshop): Promise<boolean> {
  const samples = Number(values.samples);
  const { plain, noisy, planted } = await measureTimings(workshop, EARLY_EXIT, samples);
  const holds = plain < NOTHING_SHOWS && planted > IT_SHOWS;
  console.log(`${(holds ? 'red ✓' : 'NOT CAUGHT').padEnd(10)} ${EARLY_EXIT.name}`);
  console.log(`           ${filesOf(EARLY_EXIT.edits)}`);
  console.log(
    `           |t| of ${samples} pending attempts: ${plain.toFixed(1)} as it is ` +
      `(less than ${NOTHING_SHOWS}), ${planted.toFixed(1)} with the bug (more than ${IT_SHOWS})`,
  );
  if (noisy !== null) {
    console.log(
      `           as it is, measured a second time: the first |t| was ${noisy.toFixed(1)}`,
    );
  }
  return holds;
}

function filesOf(edits: Mistake['edits']): string {
  return [...new Set(edits.map(({ file }) => file))].join(', ');
}
