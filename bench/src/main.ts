/** `npm run bench`: measures, prints, and keeps the figures in bench/results/. */
import { join, relative } from 'node:path';
import { describeMachine } from './figures/machine.ts';
import { report } from './figures/report.ts';
import { resultsOf, type Measured } from './figures/results.ts';
import { writeResults } from './figures/write-results.ts';
import { BenchServer } from './measures/bench-server.ts';
import { measureColdStart } from './measures/cold-start.ts';
import { checkGenerator } from './measures/generator-check.ts';
import { measureHotPath } from './measures/hot-path.ts';
import { measurePendingMemory } from './measures/pending-memory.ts';
import { runRounds } from './measures/rounds.ts';
import { FULL, isQuick, type Plan } from './plan.ts';
import { inNewFolder } from './servers/data-folder.ts';
import { ServerProcess } from './servers/server-process.ts';

if (isQuick(process.argv.slice(2))) process.stdout.write(`\n${await measureHotPath(say)}`);
else await measureFull(FULL);

async function measureFull(plan: Plan): Promise<void> {
  const measured = await measureAll(plan);
  const takenAt = new Date().toISOString();
  const results = resultsOf(measured, { takenAt, machine: describeMachine(), plan });
  process.stdout.write(`\n${report(results)}`);
  say(`written to ${relative(process.cwd(), writeResults(results))}`);
}

async function measureAll(chosen: Plan): Promise<Measured> {
  say('cold start');
  const cold = await measureColdStart(chosen.spawns);
  say('memory');
  const kilobytesPerAttempt = await measurePendingMemory();
  const raced = await inNewFolder((folder) => race(chosen, folder));
  return { cold, kilobytesPerAttempt, ...raced };
}

async function race(chosen: Plan, folder: string): Promise<Pick<Measured, 'rounds' | 'generator'>> {
  const sub = (name: string) => join(folder, name);
  const rawProcess = await ServerProcess.raw();
  const servers = {
    raw: new BenchServer(rawProcess, null),
    memory: new BenchServer(await ServerProcess.variant('memory', sub('memory')), null),
    singleCommits: new BenchServer(
      await ServerProcess.variant('singleCommits', sub('single-commits')),
      sub('single-commits'),
    ),
    sqlite: new BenchServer(await ServerProcess.service(sub('sqlite')), sub('sqlite')),
  };
  try {
    say('warm-up');
    const rounds = await runRounds(servers, chosen, (round) =>
      say(`round ${round + 1} of ${chosen.rounds}`),
    );
    say('load generator');
    const load = { connections: chosen.connections, seconds: chosen.roundSeconds };
    return { rounds, generator: await checkGenerator(servers.raw, rawProcess.port, load) };
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
