import os from 'node:os';
import process from 'node:process';
import type { FaultOutcome, FaultRun } from './fault-run.ts';

/** What the newest run of one fault found, and all runs of it: a file in docs/reliability/. */
export interface FaultRecord extends RunFigures {
  readonly name: string;
  readonly fault: string;
  readonly promise: string;
  readonly kinds: string | null;
  readonly tokens: number | null;
  readonly recoveryMs: number | null;
  /** Names of planted bugs. */
  readonly planted: readonly string[];
  readonly worse: string | null;
  readonly figures: object;
  readonly seconds: number;
  readonly machine: Machine;
  /** The oldest first; the newest is the one that the record is about. */
  readonly runs: readonly RunFigures[];
}

/** What is kept of every run. Its date and its seed tell it from all others. */
export interface RunFigures {
  /** When it ended, in ISO 8601, UTC. */
  readonly date: string;
  readonly seed: number;
  readonly cycles: number;
  readonly acknowledged: number | null;
  /** How much was lost, or answered wrongly. */
  readonly lost: number;
}

interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
  /** The load average of the minute before the run: how busy the machine was with other work. */
  readonly load: number;
}

export function describeMachine(): Machine {
  const [load = 0] = os.loadavg();
  return {
    processor: os.cpus()[0]?.model ?? 'unknown',
    cores: os.cpus().length,
    node: process.version,
    load: Math.round(load * 10) / 10,
  };
}

export function recordOf(
  { name, fault, promise, planted }: FaultRun,
  outcome: FaultOutcome,
  when: Pick<FaultRecord, 'date' | 'seconds' | 'seed' | 'machine'>,
): FaultRecord {
  const { cycles, kinds = null, acknowledged, tokens, faults, recoveryMs } = outcome;
  const { worse = null, figures } = outcome;
  const lost = faults.length;
  const described = { name, fault, promise, cycles, kinds, acknowledged, tokens, lost, recoveryMs };
  const runs = [{ date: when.date, seed: when.seed, cycles, acknowledged, lost }];
  return { ...described, planted, worse, figures, ...when, runs };
}
