import type { History } from '../../support/faults/history.ts';
import type { FaultOutcome } from './fault-run.ts';

const CYCLES_BETWEEN_WORDS = 25;

/** Says now and then how far a run of many cycles is. */
export function sayCycle(say: (line: string) => void): (done: number, history: History) => void {
  return (done, { attempts }) => {
    if (done % CYCLES_BETWEEN_WORDS === 0) say(`${done} cycles, ${attempts.length} attempts`);
  };
}

interface CyclesReport {
  readonly violations: readonly string[];
  readonly cycles: number;
  readonly attempts: number;
  readonly tokens: number;
  readonly slowestRecoveryMs: number;
}

/** What a run found that causes its fault again and again. */
export function outcomeOfCycles({
  violations,
  cycles,
  attempts,
  tokens,
  slowestRecoveryMs,
  ...figures
}: CyclesReport): FaultOutcome {
  return {
    cycles,
    acknowledged: attempts,
    tokens,
    recoveryMs: slowestRecoveryMs,
    faults: violations,
    figures,
  };
}
