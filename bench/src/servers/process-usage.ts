import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second, whatever its own timer does. */
const SECONDS_PER_TICK = 0.01;
const NANOSECOND = 1e-9;

/** Processor time, in seconds since the process began. */
export interface CpuTime {
  /** Of all its threads, those that have ended too; to a hundredth of a second. */
  readonly all: number;
  /** Of its first thread, that runs the event loop. */
  readonly main: number;
}

/** Null where the system does not tell: only Linux does, under /proc. */
export function cpuTimeOf(pid: number): CpuTime | null {
  const text = read(`${pid}/stat`);
  const main = read(`${pid}/task/${pid}/schedstat`);
  if (text === null || main === null) return null;
  // The name in brackets may hold blanks; user and system time are the 12th and 13th after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { all: ticks * SECONDS_PER_TICK, main: Number.parseInt(main, 10) * NANOSECOND };
}

export function residentBytesOf(pid: number): number | null {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(read(`${pid}/status`) ?? '') ?? [];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

export function openFilesOf(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return null;
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return null;
  }
}
