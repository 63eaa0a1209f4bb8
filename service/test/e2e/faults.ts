// Long runs of the fault tests of `npm test`:
// npm run faults [-- --kills 500 --postgres-kills 100 --roll-outs 50
//   --requests 500000 --disks 3]
// `--only` with clock, disks, kills, postgres-kill, roll-out, requests or unread runs one of them.
// TEST_SEED repeats a run.
// Exit code 1 means that something was lost, answered wrongly, leaked or delayed.

import process from 'node:process';
import { parseArgs } from 'node:util';
import { finishRun } from '../support/canaries/finish-run.ts';
import { openRunFolder } from '../support/canaries/run-folder.ts';
import { runClockSteps } from '../support/faults/clock-run.ts';
import { runCrashCycles } from '../support/faults/crash-cycles.ts';
import { findFaketime } from '../support/faults/faketime.ts';
import { runFullDisk, startsAfterEachEnd } from '../support/faults/full-disk-run.ts';
import { runHostileRequests } from '../support/attacks/hostile/hostile-run.ts';
import type { History } from '../support/faults/history.ts';
import { runPostgresKills } from '../support/faults/postgres-kills.ts';
import { runRollOuts } from '../support/faults/roll-outs.ts';
import { chooseSeed } from '../support/faults/seeded-random.ts';
import { startPostgres } from '../support/postgres/server.ts';
import { startService } from '../support/programs/service-process.ts';
import { mountSmallDisk } from '../support/faults/small-disk.ts';
import {
  HEAP_OF_256_MB,
  measurePipelined,
  measureUnread,
  type Figures,
} from '../support/attacks/unread/figures.ts';

const SHOWN_FAULTS = 20;
const DISK_MEGABYTES = 24;
const PAGE_BYTES = 4096;
/**
 * Starts are tried with every smaller number of free pages: the log's index needs 8, a write a few.
 */
const MOST_PAGES_LEFT = 16;
const CYCLES_BETWEEN_WORDS = 25;

/**
 * How much the service's memory may grow while clients do not read, and how long /livez may take
 * then.
 */
const MOST_GROWN_MB = 64;
const SLOWEST_LIVEZ_MS = 1000;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    'postgres-kills': { type: 'string', default: '100' },
    'roll-outs': { type: 'string', default: '50' },
    requests: { type: 'string', default: '500000' },
    disks: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const seed = chooseSeed();
console.log(`TEST_SEED=${seed}`);
const folder = openRunFolder();
// An orderly exit also ends the services of the run.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const runs = {
  clock: stepTheClock,
  disks: () => fillDisks(Number(values.disks)),
  kills: killAgainAndAgain,
  'postgres-kill': killOnPostgres,
  'roll-out': rollOut,
  requests: sendHostileRequests,
  unread: askWithoutReading,
};
for (const [name, run] of Object.entries(runs)) {
  if (values.only === undefined || values.only === name) await run();
}
console.log(finishRun(folder));

async function stepTheClock(): Promise<void> {
  const library = findFaketime();
  if (library === null) return leaveOut('the clock that steps', 'there is no libfaketime');
  const started = performance.now();
  const { faults: found, ...figures } = await runClockSteps(library);
  summarise('a clock that steps', started, figures, found);
}

async function fillDisks(count: number): Promise<void> {
  for (let disk = 0; disk < count; disk += 1) {
    // Of several sizes, so that the space runs out at different points.
    const small = mountSmallDisk(DISK_MEGABYTES + disk);
    if (small === null) {
      return leaveOut('the full disk', 'only root on Linux can mount a small one');
    }
    const started = performance.now();
    try {
      const pages = Array.from({ length: MOST_PAGES_LEFT + 1 }, (_, left) => left);
      const starts = pages.flatMap((left) => startsAfterEachEnd(left * PAGE_BYTES));
      const { faults: found, ...figures } = await runFullDisk(small, starts);
      summarise('a full disk', started, figures, found);
    } finally {
      small.unmount();
    }
  }
}

function leaveOut(what: string, why: string): void {
  console.error(`\n  NOT RUN: ${what}, since ${why}\n`);
}

async function killAgainAndAgain(): Promise<void> {
  const started = performance.now();
  const { violations, ...figures } = await runCrashCycles(Number(values.kills), seed, sayCycle);
  summarise('kill -9 under load', started, figures, violations);
}

async function killOnPostgres(): Promise<void> {
  const started = performance.now();
  const server = await startPostgres({ isDurable: true });
  try {
    const cycles = Number(values['postgres-kills']);
    const { violations, ...figures } = await runPostgresKills(server, cycles, seed, sayCycle);
    summarise('kill -9 on PostgreSQL', started, figures, violations);
  } finally {
    await server.close();
  }
}

async function rollOut(): Promise<void> {
  const started = performance.now();
  const server = await startPostgres({ isDurable: true });
  try {
    const report = await runRollOuts(server.url, Number(values['roll-outs']), seed);
    const { violations, ...figures } = report;
    summarise('SIGTERM roll-outs', started, figures, violations);
  } finally {
    await server.close();
  }
}

function sayCycle(done: number, { attempts }: History): void {
  if (done % CYCLES_BETWEEN_WORDS !== 0) return;
  console.log(`  ${done} kills, ${attempts.length} attempts`);
}

async function sendHostileRequests(): Promise<void> {
  const started = performance.now();
  await using service = await startService();
  const report = await runHostileRequests(service, Number(values.requests), seed);
  const { faults: found, ...figures } = report;
  const said = service.stderr() === '' ? [] : [`stderr: ${service.stderr()}`];
  summarise('hostile requests', started, figures, [...found, ...said]);
}

async function askWithoutReading(): Promise<void> {
  const started = performance.now();
  await using service = await startService();
  const unread = await measureUnread(service, 1000);
  await using small = await startService({ settings: HEAP_OF_256_MB });
  const pipelined = [
    ...(await measurePipelined(small, 60, 192)),
    ...(await measurePipelined(small, 30, 8192, ['/openapi.json', '/errors'])),
  ];
  const figures = [unread, ...pipelined];
  summarise('asking without reading', started, figures, figures.filter(isTooMuch).map(sayFigures));
}

function isTooMuch({ grownMb, livezMs, isRunning }: Figures): boolean {
  if (!isRunning || livezMs === null) return true;
  return grownMb > MOST_GROWN_MB || livezMs > SLOWEST_LIVEZ_MS;
}

function sayFigures({ what, grownMb, livezMs }: Figures): string {
  return `${what}: ${grownMb} MB more, /livez after ${livezMs ?? 'no'} ms`;
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
