/**
 * `npm run bench`: measures, prints the figures, and writes them to bench/results/ and to the page.
 */
import { relative } from 'node:path';
import { describeMachine } from './figures/machine.ts';
import { goalsOf, report, type Table } from './figures/report.ts';
import { resultsOf, type Measured } from './figures/results.ts';
import { table } from './figures/table.ts';
import { judge } from './figures/targets.ts';
import { writeResults } from './figures/write-results.ts';
import { measureColdStart } from './measures/cold-start.ts';
import { measureEngines, type EnginesPlan } from './measures/engines.ts';
import { measureFlushes } from './measures/flushes.ts';
import { checkGenerator } from './measures/generator-check.ts';
import { measureGrowth } from './measures/growth.ts';
import { measureHotPath } from './measures/hot-path.ts';
import { measureKit } from './measures/kit.ts';
import { measureLive } from './measures/live.ts';
import { measureOpenLoops, type LoopSample } from './measures/open-loop.ts';
import { measureOpenid } from './measures/openid.ts';
import { measurePendingMemory } from './measures/pending-memory.ts';
import { profileRequests } from './measures/profile-requests.ts';
import { runSessions } from './measures/sessions.ts';
import { measureSoak } from './measures/soak.ts';
import { measureStreams } from './measures/streams.ts';
import { profileStart } from './measures/start-profile.ts';
import { engineSection, engineTables } from './page/engine-section.ts';
import { kitSection, startsTable, workersTable } from './page/kit-section.ts';
import { liveSection, liveTable } from './page/live-section.ts';
import {
  growthSection,
  growthTable,
  soakSection,
  soakTable,
  startSection,
  startTable,
} from './page/other-sections.ts';
import { openidSection, openidTable } from './page/openid-section.ts';
import { profileSection, profileTable } from './page/profile-section.ts';
import { sectionsOf } from './page/sections.ts';
import { streamsSection, streamsTable } from './page/streams-section.ts';
import { TESTING_PAGE, writePage, type Section } from './page/write-page.ts';
import { ENGINES, modeOf, USAGE, type Mode, type Plan } from './plan.ts';

const TEN_MILLION = 10_000_000;

const about = () => ({ takenAt: new Date().toISOString(), machine: describeMachine() });

/** Exit code for arguments that can't be used. */
const EXIT_MISUSED = 2;

const chosen = chosenMode(process.argv.slice(2));
await (chosen === null ? say(USAGE) : run(chosen));

/** Null for `--help`. */
function chosenMode(args: readonly string[]): Mode | null {
  if (args.includes('--help')) return null;
  try {
    return modeOf(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return process.exit(EXIT_MISUSED);
  }
}

function run(mode: Mode): Promise<void> {
  switch (mode.kind) {
    case 'quick':
      return measureHotPath(say).then((text) => say(`\n${text}`));
    case 'engines':
      return runEngines(mode.plan);
    case 'live':
      return runLive();
    case 'openid':
      return runOpenid();
    case 'profile':
      return runProfile();
    case 'growth':
      return runGrowth(mode.sizes);
    case 'soak':
      return runSoak(mode);
    case 'streams':
      return runStreams();
    case 'kit':
      return runKit();
    case 'rates':
      return runRates(mode);
  }
}

async function runRates({ plan, soak, kept }: Extract<Mode, { kind: 'rates' }>): Promise<void> {
  const of = about();
  say('cold start');
  const parts = await profileStart();
  const results = resultsOf(await measureAll(plan), { ...of, plan });
  say('steady load');
  const steady = await measureSoak(soak);
  say(`\n${report(results)}`);
  print(soakTable(steady));
  print(startTable(parts));
  if (!kept) return;
  keep(writeResults({ ...results, soak: steady, start: parts }), [
    ...sectionsOf(results),
    soakSection(steady),
    startSection(parts),
  ]);
  await runEngines(ENGINES);
}

async function measureAll(plan: Plan): Promise<Measured> {
  const cold = await measureColdStart(plan.spawns);
  say('memory');
  const kilobytesPerAttempt = await measurePendingMemory();
  say('flushes');
  const flushesPerCommit = await measureFlushes();
  const openLoops: LoopSample[] = [];
  const samples = await runSessions(plan, say, async (servers, rounds, process) => {
    say('open loop');
    const peaks = { status: rounds.get('status') ?? [], start: rounds.get('start') ?? [] };
    const how = { process, seconds: plan.openLoopSeconds };
    openLoops.push(...(await measureOpenLoops(servers, peaks, how)));
  });
  say('load generator');
  const generator = await checkGenerator(plan.roundSeconds);
  return { cold, kilobytesPerAttempt, flushesPerCommit, openLoops, samples, generator };
}

async function runGrowth(sizes: readonly number[]): Promise<void> {
  const of = about();
  const growth = await measureGrowth(sizes, say);
  const largest = growth.lines.find(
    ({ kind, attempts }) => kind === 'start' && attempts === TEN_MILLION,
  );
  const targets = judge({ startAtTenMillion: largest?.ratio ?? null });
  print(growthTable(growth.lines));
  print(goalsOf(targets));
  keep(writeResults({ ...of, ...growth, targets }, 'growth-'), [
    growthSection(growth, goalsOf(targets)),
  ]);
}

async function runEngines(plan: EnginesPlan): Promise<void> {
  const of = about();
  const engines = await measureEngines(plan, say);
  if (engines === null) {
    say('no PostgreSQL server was found on this machine: nothing was compared with it');
    return;
  }
  for (const one of engineTables(engines)) print(one);
  keep(writeResults({ ...of, plan, ...engines }, 'postgres-'), [
    engineSection(engines, { ...of, plan }),
  ]);
}

async function runLive(): Promise<void> {
  const of = about();
  const lines = await measureLive(say);
  print(liveTable(lines));
  keep(writeResults({ ...of, lines }, 'live-'), [liveSection(lines, of)]);
}

async function runOpenid(): Promise<void> {
  const of = about();
  const lines = await measureOpenid(say);
  print(openidTable(lines));
  keep(writeResults({ ...of, lines }, 'openid-'), [openidSection(lines, of)]);
}

async function runProfile(): Promise<void> {
  const of = about();
  const profiles = await profileRequests(say);
  print(profileTable(profiles));
  keep(writeResults({ ...of, profiles }, 'profile-'), [profileSection(profiles, of)]);
}

async function runKit(): Promise<void> {
  const of = about();
  const kit = await measureKit(say);
  const targets = judge({ kitFirstStart: kit.firstStart, kitFurtherStart: kit.furtherStart });
  print(startsTable(kit));
  print(workersTable(kit));
  print(goalsOf(targets));
  const file = writeResults({ ...of, ...kit, targets }, 'kit-');
  writePage([kitSection(kit, goalsOf(targets))], TESTING_PAGE);
  say(`written to ${relative(process.cwd(), file)} and docs/testing-your-app.md`);
}

async function runStreams(): Promise<void> {
  const of = about();
  const streams = await measureStreams(say);
  const targets = judge({
    heapPerStream: streams.service.heapKilobytes,
    residentPerStream: streams.service.residentKilobytes,
  });
  print(streamsTable(streams));
  print(goalsOf(targets));
  keep(writeResults({ ...of, ...streams, targets }, 'streams-'), [
    streamsSection(streams, goalsOf(targets)),
  ]);
}

async function runSoak({ soak, section }: Extract<Mode, { kind: 'soak' }>): Promise<void> {
  const of = about();
  const samples = await measureSoak(soak);
  print(soakTable(samples));
  keep(writeResults({ ...of, samples }, `${section}-`), [soakSection(samples, section)]);
}

function keep(file: string, sections: readonly Section[]): void {
  writePage(sections);
  say(`written to ${relative(process.cwd(), file)} and docs/performance.md`);
}

function print({ heading, rows }: Table): void {
  say(`\n${table(heading, rows)}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
