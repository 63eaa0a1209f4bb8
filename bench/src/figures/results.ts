import type { Round } from '../measures/bench-server.ts';
import type { ColdStart } from '../measures/cold-start.ts';
import { CONTENDERS, type ContenderId } from '../measures/contenders.ts';
import type { GeneratorCheck } from '../measures/generator-check.ts';
import type { Rounds } from '../measures/rounds.ts';
import type { Plan } from '../plan.ts';
import { median, ratioOfRounds } from './figures.ts';
import type { Machine } from './machine.ts';
import { judge, type Measures, type TargetResult } from './targets.ts';

export interface Measured {
  readonly rounds: Rounds;
  readonly cold: ColdStart;
  readonly kilobytesPerAttempt: number;
  readonly generator: GeneratorCheck;
}

export interface ContenderResult {
  readonly name: string;
  readonly median: Round;
  readonly rounds: readonly Round[];
}

/** What is kept in a file. */
export interface Results {
  readonly takenAt: string;
  readonly machine: Machine;
  readonly plan: Plan;
  readonly targets: readonly TargetResult[];
  readonly contenders: readonly ContenderResult[];
  readonly generator: GeneratorCheck;
}

export function resultsOf(
  measured: Measured,
  about: Pick<Results, 'takenAt' | 'machine' | 'plan'>,
): Results {
  const { generator } = measured;
  const contenders = CONTENDERS.map(({ id, name }) => {
    const rounds = measured.rounds.get(id) ?? [];
    return { name, median: medianRound(rounds), rounds };
  });
  return { ...about, targets: judge(measuresOf(measured)), contenders, generator };
}

function measuresOf({ rounds, cold, kilobytesPerAttempt }: Measured): Measures {
  const values = (id: ContenderId, of: 'perSecond' | 'p99') =>
    (rounds.get(id) ?? []).map((round) => round[of]);
  const ratio = (of: 'perSecond' | 'p99', over: ContenderId, under: ContenderId) =>
    ratioOfRounds(values(over, of), values(under, of));
  return {
    statusToRaw: ratio('perSecond', 'status', 'raw'),
    startToMemory: ratio('perSecond', 'start', 'startMemory'),
    startToSingleCommits: ratio('perSecond', 'start', 'startSingleCommits'),
    statusBesideStarts: ratio('p99', 'statusBesideStarts', 'status'),
    memoryPerAttempt: kilobytesPerAttempt,
    coldStart: cold.milliseconds,
    idleMemory: cold.idleMegabytes,
  };
}

function medianRound(rounds: readonly Round[]): Round {
  const known = (of: 'cpuMicroseconds' | 'mainMicroseconds') => {
    const values = rounds.flatMap((round) => round[of] ?? []);
    return values.length === 0 ? null : median(values);
  };
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    cpuMicroseconds: known('cpuMicroseconds'),
    mainMicroseconds: known('mainMicroseconds'),
    generatorBusy: median(rounds.map(({ generatorBusy }) => generatorBusy)),
  };
}
