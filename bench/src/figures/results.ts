import type { Round } from '../measures/bench-server.ts';
import type { ColdStart } from '../measures/cold-start.ts';
import { CONTENDERS, type ContenderId } from '../measures/contenders.ts';
import type { GeneratorCheck } from '../measures/generator-check.ts';
import type { LoopSample } from '../measures/open-loop.ts';
import type { Sample, Samples } from '../measures/sessions.ts';
import type { Plan } from '../plan.ts';
import { median, ratioOfRounds } from './figures.ts';
import type { Machine } from './machine.ts';
import { judge, type Measures, type TargetResult } from './targets.ts';

export interface Measured {
  readonly samples: Samples;
  readonly openLoops: readonly LoopSample[];
  readonly cold: ColdStart;
  readonly kilobytesPerAttempt: number;
  readonly flushesPerCommit: number | null;
  readonly generator: GeneratorCheck;
}

export interface ContenderResult {
  readonly id: ContenderId;
  readonly name: string;
  readonly median: Round;
  readonly samples: readonly Sample[];
}

/** The content of a results file. */
export interface Results {
  readonly takenAt: string;
  readonly machine: Machine;
  readonly plan: Plan;
  readonly targets: readonly TargetResult[];
  readonly contenders: readonly ContenderResult[];
  readonly openLoops: readonly LoopSample[];
  readonly generator: GeneratorCheck;
}

export function resultsOf(
  measured: Measured,
  about: Pick<Results, 'takenAt' | 'machine' | 'plan'>,
): Results {
  const { generator, openLoops } = measured;
  const contenders = CONTENDERS.map(({ id, name }) => {
    const samples = measured.samples.get(id) ?? [];
    return { id, name, median: medianRound(samples), samples };
  });
  return { ...about, targets: judge(measuresOf(measured)), contenders, openLoops, generator };
}

type Figure = 'perSecond' | 'p99' | 'cpuMicroseconds';

function measuresOf(measured: Measured): Partial<Measures> {
  const values = (id: ContenderId, of: Figure) =>
    (measured.samples.get(id) ?? []).map((sample) => sample[of] ?? Number.NaN);
  const ratio = (of: Figure, over: ContenderId, under: ContenderId) =>
    ratioOfRounds(values(over, of), values(under, of));
  const milliseconds = (id: ContenderId) => median(values(id, 'cpuMicroseconds')) / 1000;
  return {
    statusToRaw: ratio('perSecond', 'status', 'raw'),
    startToRaw: ratio('perSecond', 'start', 'raw'),
    completeToRaw: ratio('perSecond', 'complete', 'raw'),
    tokenToRaw: ratio('perSecond', 'token', 'raw'),
    loginCpu: milliseconds('login'),
    loginPacedCpu: milliseconds('loginPaced'),
    loginLongPollCpu: milliseconds('loginLongPoll'),
    loginLongPollPacedCpu: milliseconds('loginLongPollPaced'),
    statusAsStartedToRaw: ratio('perSecond', 'statusAsStarted', 'raw'),
    startAsStartedToRaw: ratio('perSecond', 'startAsStarted', 'raw'),
    loginPacedAsStartedCpu: milliseconds('loginPacedAsStarted'),
    peerLoginCpu: ratio('cpuMicroseconds', 'codeLogin', 'login'),
    openidStartCpu: ratio('cpuMicroseconds', 'openidCibaStart', 'cibaStart'),
    openidPollCpu: ratio('cpuMicroseconds', 'openidCibaPoll', 'cibaPoll'),
    openidCibaLoginCpu: ratio('cpuMicroseconds', 'openidCibaLogin', 'cibaLogin'),
    openidLoginCpu: ratio('cpuMicroseconds', 'openidLogin', 'codeLogin'),
    startToMemory: ratio('perSecond', 'start', 'startMemory'),
    startToSingleCommits: ratio('perSecond', 'start', 'startSingleCommits'),
    startToPeer: ratio('perSecond', 'start', 'cibaStartMemory'),
    statusToPeer: ratio('perSecond', 'status', 'cibaPollMemory'),
    statusBesideStarts: ratio('p99', 'statusBesideStarts', 'status'),
    memoryPerAttempt: measured.kilobytesPerAttempt,
    coldStart: measured.cold.milliseconds,
    idleMemory: measured.cold.idleMegabytes,
    flushesPerCommit: measured.flushesPerCommit,
  };
}

function medianRound(rounds: readonly Round[]): Round {
  const of = (name: keyof Round) => rounds.flatMap((round) => round[name] ?? []);
  const known = (name: 'cpuMicroseconds' | 'mainMicroseconds') =>
    of(name).length === 0 ? null : median(of(name));
  return {
    perSecond: median(of('perSecond')),
    p50: median(of('p50')),
    p99: median(of('p99')),
    p999: median(of('p999')),
    cpuMicroseconds: known('cpuMicroseconds'),
    mainMicroseconds: known('mainMicroseconds'),
    generatorBusy: median(of('generatorBusy')),
  };
}
