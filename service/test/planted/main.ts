// Checks that the tests would notice bugs:
// npm run planted [-- --only <name> ...] [-- --tests <start of a test file's path>] [-- --list]
//   [-- --fast]
// In copies of the checkout each bug of planted-bugs.ts is planted alone, and the test named with
// it must fail. At the end, a comparison that stops early must be visible in the time of an answer,
// and the real one must not. Exit code 1 means that something would not be noticed.
// With --fast it asks instead which of the fast tests notice each bug, and judges nothing.

import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { EARLY_EXIT } from './bugs/timing.ts';
import { PLANTED_BUGS } from './planted-bugs.ts';
import { listSources, openWorkshop, type Workshop } from './support/checkout-copy.ts';
import { judgeBugs, type Judged } from './support/judge-bugs.ts';
import { fastFilesWith } from './support/named-tests.ts';
import type { Mistake, NamedTest } from './support/planted-bug.ts';
import { IT_SHOWS, measureTimings, NOTHING_SHOWS } from './support/timing.ts';

const LIMITS = { soundMs: 600_000, bugMs: 90_000 };
/** A test with its bug mostly waits for the start of a program, or for what does not come. */
const SIDE_BY_SIDE = availableParallelism();
const ROOT = dirname(dirname(dirname(import.meta.dirname)));

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    tests: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    samples: { type: 'string', default: '20000' },
  },
});
const isAsked = ({ name }: Mistake) => values.only?.includes(name) ?? true;
const bugs = PLANTED_BUGS.filter((bug) => isAsked(bug) && bug.test.file.startsWith(values.tests));
const timed = isAsked(EARLY_EXIT) && values.tests === '';
if (values.list) list();
else if (bugs.length > 0 || timed) await run();
else process.exitCode = complain();

function list(): void {
  for (const { name, edits, test } of bugs) say('', name, edits, nameOf(test));
  if (timed) say('', EARLY_EXIT.name, EARLY_EXIT.edits, 'the time of an answer');
}

function complain(): number {
  console.error('no planted bug is asked for: without --only and --tests, --list shows all');
  return 1;
}

async function run(): Promise<void> {
  const began = performance.now();
  const sources = listSources(ROOT);
  const workshop = openWorkshop(ROOT, sources);
  const others = Array.from({ length: SIDE_BY_SIDE - 1 }, () => openWorkshop(ROOT, sources));
  process.once('exit', () => {
    for (const one of [workshop, ...others]) one.remove();
  });
  // An orderly exit also ends the programs that run in the copy.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  if (values.fast) return askFastTests([workshop, ...others]);
  let caught = 0;
  await judgeBugs([workshop, ...others], bugs, LIMITS, (judged) => {
    if (judged.verdict === 'red') caught += 1;
    report(judged);
  });
  if (timed && (await timingsHold(workshop))) caught += 1;
  const seconds = Math.round((performance.now() - began) / 1000);
  const all = bugs.length + (timed ? 1 : 0);
  console.log(`\n${caught} of ${all} planted bugs are noticed, ${seconds} s`);
  if (caught < all) process.exitCode = 1;
}

/** A line for each bug: how many files of fast tests notice it, and which. */
async function askFastTests(workshops: readonly Workshop[]): Promise<void> {
  const left = bugs.values();
  let noticed = 0;
  const ask = async (workshop: Workshop) => {
    for (const { name, edits, test } of left) {
      const files = await fastFilesWith(workshop, { name, edits }, LIMITS.bugMs);
      const isKnown = typeof files !== 'string';
      if (isKnown && files.length > 0) noticed += 1;
      const proof = isKnown ? files.join(' ') : files;
      say(isKnown ? String(files.length) : '?', name, edits, `${test.file} | ${proof}`);
    }
  };
  await Promise.all(workshops.map(ask));
  console.log(`\n${noticed} of ${bugs.length} planted bugs are noticed by fast tests`);
}

function report({ bug, verdict, reason }: Judged): void {
  const isRed = verdict === 'red';
  say(isRed ? 'red ✓' : verdict.toUpperCase(), bug.name, bug.edits, nameOf(bug.test));
  if (!isRed && reason !== '') console.log(`            ${reason}`);
}

async function timingsHold(workshop: Workshop): Promise<boolean> {
  const samples = Number(values.samples);
  const { plain, noisy, planted } = await measureTimings(workshop, EARLY_EXIT, samples);
  const holds = plain < NOTHING_SHOWS && planted > IT_SHOWS;
  const measured =
    `|t| of ${samples} pending attempts is ${plain.toFixed(1)} (less than ${NOTHING_SHOWS}), ` +
    `and ${planted.toFixed(1)} with the bug (more than ${IT_SHOWS})`;
  say(holds ? 'red ✓' : 'NOT CAUGHT', EARLY_EXIT.name, EARLY_EXIT.edits, measured);
  if (noisy !== null) {
    console.log(
      `           as it is, measured a second time: the first |t| was ${noisy.toFixed(1)}`,
    );
  }
  return holds;
}

/** Prints one line, however long. */
function say(mark: string, name: string, edits: Mistake['edits'], proof: string): void {
  const files = new Set(edits.map(({ file }) => file));
  console.log(`${mark.padEnd(11)} ${name} | ${[...files].join(', ')} | ${proof}`);
}

function nameOf({ file, name }: NamedTest): string {
  return `${file} > ${name}`;
}
