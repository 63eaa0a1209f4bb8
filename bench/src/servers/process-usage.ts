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
  // The name in brackets may contain spaces; user and system time are the 12th and 13th field after
  // it.
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
