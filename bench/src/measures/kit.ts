import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from '../figures/figures.ts';
import { inNewFolder } from '../servers/data-folder.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PROGRAMS = ['first-start.mjs', 'worker.mjs', 'instance.mjs'] as const;
const PROCESSES = 7;
const WORKERS = 20;
const MEGABYTE = 1024 ** 2;

export interface WorkersMeasured {
  readonly workers: number;
  /** From the first process to the end of the last. */
  readonly seconds: number;
  /** Resident memory of a worker at its end, the median. */
  readonly megabytesEach: number;
  /** Of all processes together; what they share is counted in each. */
  readonly megabytesInAll: number;
}

export interface KitMeasured {
  /** The first start in a process with its imports, and each further one, in milliseconds. */
  readonly firstStart: number;
  readonly furtherStart: number;
  readonly ownInstances: WorkersMeasured;
  readonly scopes: WorkersMeasured;
  /** The load average of the machine at the end. */
  readonly load: number;
}

/** The starts of `miftah/testing` from its package, and many workers side by side. */
export async function measureKit(say: (line: string) => void): Promise<KitMeasured> {
  return inNewFolder(async (folder) => {
    say('packages');
    await install(folder);
    say('starts');
    const starts: Starts[] = [];
    for (let process = 0; process < PROCESSES; process += 1) starts.push(await startsIn(folder));
    say(`${WORKERS} workers, each with its own instance`);
    const ownInstances = await runWorkers(folder, () => []);
    say(`${WORKERS} workers on one instance, each in a scope`);
    const scopes = await inScopes(folder);
    return {
      firstStart: median(starts.map(({ first }) => first)),
      furtherStart: median(starts.flatMap(({ further }) => further)),
      ownInstances,
      scopes,
      load: loadavg()[0] ?? 0,
    };
  });
}

/** As somebody has it who has no checkout. */
async function install(folder: string): Promise<void> {
  const packed = join(folder, 'packed');
  mkdirSync(packed);
  const run = promisify(execFile);
  await run(process.execPath, [join(ROOT, 'scripts', 'pack.ts'), packed], { cwd: ROOT });
  const tarballs = readdirSync(packed).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  const paths = tarballs.map((name) => join(packed, name));
  await run('npm', ['install', ...flags, ...paths], { cwd: folder });
  for (const name of PROGRAMS) {
    copyFileSync(new URL(`../kit/${name}`, import.meta.url), join(folder, name));
  }
}

interface Starts {
  readonly first: number;
  readonly further: readonly number[];
}

async function startsIn(folder: string): Promise<Starts> {
  const said: unknown = JSON.parse(await outputOf(folder, 'first-start.mjs'));
  if (isStarts(said)) return said;
  throw new Error('the starts were not measured');
}

function isStarts(said: unknown): said is Starts {
  return typeof said === 'object' && said !== null && 'first' in said && 'further' in said;
}

async function inScopes(folder: string): Promise<WorkersMeasured> {
  const instance = spawn(process.execPath, ['instance.mjs'], { cwd: folder });
  try {
    const lines = createInterface(instance.stdout);
    const url = await nextOf(lines);
    const measured = await runWorkers(folder, (place) => [url, `worker-${place}`]);
    const memory = nextOf(lines);
    instance.stdin.end();
    const megabytesInAll = measured.megabytesInAll + Number(await memory) / MEGABYTE;
    return { ...measured, megabytesInAll };
  } finally {
    instance.kill();
  }
}

async function nextOf(lines: Interface): Promise<string> {
  const said: readonly unknown[] = await once(lines, 'line');
  return String(said[0]);
}

async function runWorkers(
  folder: string,
  argsOf: (place: number) => readonly string[],
): Promise<WorkersMeasured> {
  const began = performance.now();
  const ended = await Promise.all(
    Array.from({ length: WORKERS }, (_, place) => outputOf(folder, 'worker.mjs', argsOf(place))),
  );
  const seconds = (performance.now() - began) / 1000;
  const megabytes = ended.map((bytes) => Number(bytes) / MEGABYTE);
  const megabytesInAll = megabytes.reduce((sum, each) => sum + each, 0);
  return { workers: WORKERS, seconds, megabytesEach: median(megabytes), megabytesInAll };
}

/** @throws Error with what a program says that fails */
async function outputOf(
  folder: string,
  program: string,
  args: readonly string[] = [],
): Promise<string> {
  const child = spawn(process.execPath, [program, ...args], { cwd: folder });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'exit');
  if (child.exitCode !== 0) throw new Error(errors);
  return output;
}
