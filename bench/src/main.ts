/** `npm run bench`: measures, prints, and keeps the figures in bench/results/. */
import { relative } from 'node:path';
import { describeMachine } from './figures/machine.ts';
import { report } from './figures/report.ts';
import { resultsOf, type Measured, type Results } from './figures/results.ts';
import { writeResults } from './figures/write-results.ts';
import { measureColdStart } from './measures/cold-start.ts';
import { measureFlushes } from './measures/flushes.ts';
import { checkGenerator } from './measures/generator-check.ts';
import { measureHotPath } from './measures/hot-path.ts';
import { measureOpenLoops, type LoopSample } from './measures/open-loop.ts';
import { measurePendingMemory } from './measures/pending-memory.ts';
import { runSessions } from './measures/sessions.ts';
import { sectionsOf } from './page/sections.ts';
import { writePage } from './page/write-page.ts';
import { BRIEF, FULL, modeOf, type Plan } from './plan.ts';

const mode = modeOf(process.argv.slice(2));
if (mode === '--quick') process.stdout.write(`\n${await measureHotPath(say)}`);
else if (mode === '--brief') await measureFull(BRIEF);
else keep(await measureFull(FULL));

async function measureFull(plan: Plan): Promise<Results> {
  const about = { takenAt: new Date().toISOString(), machine: describeMachine(), plan };
  const results = resultsOf(await measureAll(plan), about);
  process.stdout.write(`\n${report(results)}`);
  return results;
}

function keep(results: Results): void {
  const file = writeResults(results);
  writePage(sectionsOf(results));
  say(`written to ${relative(process.cwd(), file)} and docs/performance.md`);
}

async function measureAll(plan: Plan): Promise<Measured> {
  say('cold start');
  const cold = await measureColdStart(plan.spawns);
  say('memory');
  const kilobytesPerAttempt = await measurePendingMemory();
  say('flushes');
  const flushesPerCommit = await measureFlushes();
  const openLoops: LoopSample[] = [];
  const samples = await runSessions(plan, say, async (servers, rounds, process) => {
    say('open loop');
    const peaks = { status: rounds.get('status') ?? [], start: rounds.get('start') ?? [] };
    const about = { process, seconds: plan.openLoopSeconds };
    openLoops.push(...(await measureOpenLoops(servers, peaks, about)));
  });
  say('load generator');
  const generator = await checkGenerator(plan.roundSeconds);
  return { cold, kilobytesPerAttempt, flushesPerCommit, openLoops, samples, generator };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
