import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports processor time in hundredths of a second, whatever its timer's frequency is. */
const SECONDS_PER_TICK = 0.01;
const NANOSECOND = 1e-9;

/** Processor time since the start of the process, in seconds. */
export interface CpuTime {
  /** Of all its threads, including ended ones; accurate to a hundredth of a second. */
  readonly all: number;
  /** Of its main thread, which runs the event loop. */
  readonly main: number;
}

/** Null if the system does not provide it; only Linux does, under /proc. */
export function cpuTimeOf(pid: number): CpuTime | null {
  const text = read(`${pid}/stat`);
  const main = read(`${pid}/task/${pid}/schedstat`);
  if (text === null || main === null) return null;
  const { user, system } = ticksOf(text);
  return { all: (user + system) * SECONDS_PER_TICK, main: Number.parseInt(main, 10) * NANOSECOND };
}

/**
 * Processor time of all processes below this one, in seconds, with those of them that have ended.
 * Null if the system does not provide it.
 */
export function cpuTimeBelow(pid: number): number | null {
  const children = childrenOf(pid);
  if (children === null) return null;
  return children.reduce((sum, child) => {
    const stat = read(`${child}/stat`);
    const own = stat === null ? 0 : allTicksOf(stat) * SECONDS_PER_TICK;
    return sum + own + (cpuTimeBelow(child) ?? 0);
  }, 0);
}

function childrenOf(pid: number): number[] | null {
  const text = read(`${pid}/task/${pid}/children`);
  return text === null ? null : text.split(' ').flatMap((name) => Number(name) || []);
}

/** With the children that have ended and were waited for. */
function allTicksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** The groups of a process's threads. */
export type ThreadGroup = 'main' | 'worker' | 'others';

/** Processor time since the start of the thread, in seconds. */
export interface ThreadTime {
  readonly all: number;
  /** The part of it in the system's calls; accurate to a hundredth of a second. */
  readonly system: number;
}

/** By group: the event loop, the worker threads, and V8's and libuv's helpers. */
export type ThreadTimes = Readonly<Record<ThreadGroup, ThreadTime>>;

/** The name that Node gives to the threads of node:worker_threads. */
const WORKER = 'WorkerThread';

/** Null if the system does not provide it. Threads that have ended are missing. */
export function threadTimesOf(pid: number): ThreadTimes | null {
  const times = {
    main: { all: 0, system: 0 },
    worker: { all: 0, system: 0 },
    others: { all: 0, system: 0 },
  };
  for (const thread of namesIn(`/proc/${pid}/task`)) {
    const of = `${pid}/task/${thread}`;
    const [stat, schedule] = [read(`${of}/stat`), read(`${of}/schedstat`)];
    if (stat === null || schedule === null) continue;
    const isWorker = read(`${of}/comm`)?.trim() === WORKER;
    const time = times[thread === String(pid) ? 'main' : isWorker ? 'worker' : 'others'];
    time.all += Number.parseInt(schedule, 10) * NANOSECOND;
    time.system += ticksOf(stat).system * SECONDS_PER_TICK;
  }
  return times.main.all === 0 ? null : times;
}

/** The name in brackets may contain spaces; the times are the 12th and 13th field after it. */
function ticksOf(stat: string): { user: number; system: number } {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { user: Number(fields[11]), system: Number(fields[12]) };
}

export function residentBytesOf(pid: number): number | null {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(read(`${pid}/status`) ?? '') ?? [];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

export function openFilesOf(pid: number): number | null {
  const names = namesIn(`/proc/${pid}/fd`);
  return names.length === 0 ? null : names.length;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return null;
  }
}

/** The files and sockets that this process, and those that it starts, may have open. */
export function openFilesLimit(): number {
  const [, limit] = /^Max open files +(\d+)/m.exec(read('self/limits') ?? '') ?? [];
  return limit === undefined ? Number.MAX_SAFE_INTEGER : Number(limit);
}
