import os from 'node:os';
import process from 'node:process';
import type { FaultOutcome, FaultRun } from './fault-run.ts';

/** What the newest run of one fault found: a file in docs/reliability/. */
export interface FaultRecord {
  readonly name: string;
  readonly fault: string;
  readonly promise: string;
  readonly cycles: number;
  readonly kinds: string | null;
  readonly acknowledged: number | null;
  readonly tokens: number | null;
  /** How much was lost, or answered wrongly. */
  readonly lost: number;
  readonly recoveryMs: number | null;
  /** Names of planted bugs. */
  readonly planted: readonly string[];
  readonly worse: string | null;
  readonly figures: object;
  /** In ISO 8601, UTC. */
  readonly date: string;
  readonly seconds: number;
  readonly seed: number;
  readonly machine: Machine;
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
  const counted = { cycles, kinds, acknowledged, tokens, lost: faults.length, recoveryMs };
  return { name, fault, promise, ...counted, planted, worse, figures, ...when };
}
