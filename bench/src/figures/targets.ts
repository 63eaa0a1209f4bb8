/** What is compared with a goal. Null: not measured. */
export interface Measures {
  readonly statusToRaw: number | null;
  readonly startToMemory: number | null;
  readonly startToSingleCommits: number | null;
  readonly statusBesideStarts: number | null;
  readonly memoryPerAttempt: number | null;
  readonly coldStart: number | null;
  readonly idleMemory: number | null;
}

export interface Target {
  readonly id: keyof Measures;
  readonly name: string;
  readonly unit: '' | 'ms' | 'MB' | 'KB';
  readonly bound: 'at least' | 'at most';
  readonly limit: number;
  /** What to hope for. */
  readonly stretch: number | null;
}

export interface TargetResult extends Target {
  readonly measured: number | null;
  readonly verdict: 'met' | 'not met' | 'not measured';
}

/** Set before anything was built. */
const TARGETS: readonly Target[] = [
  atLeast('statusToRaw', 'status ÷ raw node:http GET', 0.65, 0.85),
  atLeast('startToMemory', 'durable start ÷ start on a memory store', 0.8, 0.95),
  atLeast('startToSingleCommits', 'durable start ÷ start with a commit of its own', 2.5, null),
  atMost('statusBesideStarts', 'p99 of status while starts saturate ÷ alone', '', [2, 1.3]),
  atMost('memoryPerAttempt', 'memory per pending attempt', 'KB', [1.5, 1]),
  atMost('coldStart', 'cold start to first answer', 'ms', [1000, 600]),
  atMost('idleMemory', 'resident memory when idle', 'MB', [130, 110]),
];

export function judge(measures: Measures): TargetResult[] {
  return TARGETS.map((target) => {
    const measured = measures[target.id];
    return { ...target, measured, verdict: verdictOn(target, measured) };
  });
}

function verdictOn({ bound, limit }: Target, measured: number | null): TargetResult['verdict'] {
  if (measured === null || Number.isNaN(measured)) return 'not measured';
  const isMet = bound === 'at least' ? measured >= limit : measured <= limit;
  return isMet ? 'met' : 'not met';
}

function atLeast(id: Target['id'], name: string, limit: number, stretch: number | null): Target {
  return { id, name, unit: '', bound: 'at least', limit, stretch };
}

function atMost(
  id: Target['id'],
  name: string,
  unit: Target['unit'],
  [limit, stretch]: readonly [number, number],
): Target {
  return { id, name, unit, bound: 'at most', limit, stretch };
}
