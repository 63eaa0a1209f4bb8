/** CPU profiles as V8 writes them (`--cpu-prof`), and how much of their time is whose. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CallFrame {
  readonly functionName: string;
  /** Empty for native functions and for generated code. */
  readonly url: string;
}

export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: readonly number[];
  }[];
  /** In microseconds of the clock of `process.hrtime`. */
  readonly startTime: number;
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/** A span of time, in microseconds of the clock of `process.hrtime`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Names the part that a frame belongs to; null when it belongs to the same part as its caller. */
export type NameOf = (frame: CallFrame) => string | null;

const ALWAYS: readonly Span[] = [{ from: -Infinity, to: Infinity }];
/** The part of frames without a caller that no rule names. */
const UNNAMED = 'unnamed';

/** Node names the file of a thread by its number before the last one; the main thread has 0. */
const OF_MAIN_THREAD = /\.0\.\d+\.cpuprofile$/;

/**
 * The profile of a process's main thread, from the folder that it wrote into.
 * @throws Error when there is none
 */
export function mainProfileIn(folder: string): CpuProfile {
  const name = readdirSync(folder).find((file) => OF_MAIN_THREAD.test(file)) ?? '';
  const profile: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  if (!isProfile(profile)) throw new Error('V8 has written no profile');
  return profile;
}

function isProfile(value: unknown): value is CpuProfile {
  return typeof value === 'object' && value !== null && 'timeDeltas' in value;
}

/** The microseconds of each part while one of the spans lasted. */
export function timesOf(
  profile: CpuProfile,
  nameOf: NameOf,
  spans: readonly Span[] = ALWAYS,
): Map<string, number> {
  const names = namesOf(profile, nameOf);
  const times = new Map<string, number>();
  let now = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const spent = profile.timeDeltas[index] ?? 0;
    now += spent;
    if (!spans.some(({ from, to }) => now >= from && now < to)) continue;
    const name = names.get(id) ?? UNNAMED;
    times.set(name, (times.get(name) ?? 0) + spent);
  }
  return times;
}

/** The part of each node, by its id. V8 lists a node before the nodes that it calls. */
function namesOf({ nodes }: CpuProfile, nameOf: NameOf): Map<number, string> {
  const names = new Map<number, string>();
  const ofCaller = new Map<number, string>();
  for (const { id, callFrame, children = [] } of nodes) {
    const name = nameOf(callFrame) ?? ofCaller.get(id) ?? UNNAMED;
    names.set(id, name);
    for (const child of children) ofCaller.set(child, name);
  }
  return names;
}
