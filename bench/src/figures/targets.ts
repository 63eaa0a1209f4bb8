/** The values that are compared with targets. Null: not measured. */
export interface Measures {
  readonly statusToRaw: number | null;
  readonly startToRaw: number | null;
  readonly completeToRaw: number | null;
  readonly tokenToRaw: number | null;
  readonly loginCpu: number | null;
  readonly loginPacedCpu: number | null;
  readonly loginLongPollCpu: number | null;
  readonly loginLongPollPacedCpu: number | null;
  readonly statusAsStartedToRaw: number | null;
  readonly startAsStartedToRaw: number | null;
  readonly loginPacedAsStartedCpu: number | null;
  readonly peerLoginCpu: number | null;
  readonly openidStartCpu: number | null;
  readonly openidPollCpu: number | null;
  readonly openidCibaLoginCpu: number | null;
  readonly openidLoginCpu: number | null;
  readonly startToMemory: number | null;
  readonly startToSingleCommits: number | null;
  readonly startToPeer: number | null;
  readonly statusToPeer: number | null;
  readonly statusBesideStarts: number | null;
  readonly startAtTenMillion: number | null;
  readonly memoryPerAttempt: number | null;
  readonly heapPerStream: number | null;
  readonly residentPerStream: number | null;
  readonly coldStart: number | null;
  readonly kitFirstStart: number | null;
  readonly kitFurtherStart: number | null;
  readonly idleMemory: number | null;
  readonly flushesPerCommit: number | null;
}

export interface Target {
  readonly id: keyof Measures;
  readonly name: string;
  readonly unit: '' | 'ms' | 'MB' | 'KB';
  readonly bound: 'at least' | 'at most' | 'exactly';
  readonly limit: number;
  /** The value to aim for. */
  readonly stretch: number | null;
}

export interface TargetResult extends Target {
  readonly measured: number | null;
  readonly verdict: 'met' | 'not met' | 'not measured';
}

/** Ratios are of rates, unless CPU is named. */
const TARGETS: readonly Target[] = [
  atLeast('statusToRaw', 'status ÷ raw node:http GET', 0.45, 0.55),
  atLeast('startToRaw', 'durable start ÷ raw', 0.24, 0.3),
  atLeast('completeToRaw', 'completion ÷ raw', 0.13, 0.18),
  atLeast('tokenToRaw', 'token ÷ raw', 0.13, 0.18),
  atMost('loginCpu', 'a whole login, CPU', 'ms', [0.8, 0.5]),
  atMost('loginPacedCpu', 'a whole login, CPU, 32 callers who pause', 'ms', [1.5, null]),
  atMost('loginLongPollCpu', 'a whole login by long poll, CPU', 'ms', [0.8, 0.5]),
  atMost('loginLongPollPacedCpu', 'a login by long poll, CPU, 32 callers who pause', 'ms', [
    1.5,
    null,
  ]),
  atLeast('statusAsStartedToRaw', 'status ÷ raw, as npm start runs', 0.45, null),
  atLeast('startAsStartedToRaw', 'durable start ÷ raw, as npm start runs', 0.24, null),
  atMost('loginPacedAsStartedCpu', 'a login, CPU, 32 who pause, as npm start runs', 'ms', [
    1.6,
    null,
  ]),
  atLeast('peerLoginCpu', "oidc-provider's code login ÷ a whole login, CPU, both durable", 6, 10),
  atMost('openidStartCpu', "CIBA start by OPENID=on ÷ oidc-provider's, CPU, both durable", '', [
    1.3,
    null,
  ]),
  atMost('openidPollCpu', "CIBA poll by OPENID=on ÷ oidc-provider's, CPU, both durable", '', [
    1.3,
    null,
  ]),
  atMost('openidCibaLoginCpu', "CIBA login by OPENID=on ÷ oidc-provider's, CPU, both durable", '', [
    1.3,
    null,
  ]),
  atMost('openidLoginCpu', "code login by OPENID=on ÷ oidc-provider's, CPU, both durable", '', [
    1.3,
    null,
  ]),
  atLeast('startToMemory', 'durable start ÷ start on a memory store', 0.8, 0.95),
  atLeast('startToSingleCommits', 'durable start ÷ start with a commit of its own', 2.5, null),
  atLeast('startToPeer', 'durable start ÷ CIBA start of oidc-provider in memory', 3.5, 5),
  atLeast('statusToPeer', 'status ÷ CIBA poll of oidc-provider in memory', 6, 8),
  atMost('statusBesideStarts', 'p99 of status while starts saturate ÷ alone', '', [2, 1.3]),
  atLeast('startAtTenMillion', 'start at 10 million stored attempts ÷ at 10 thousand', 0.9, 1),
  atMost('memoryPerAttempt', 'memory per pending attempt', 'KB', [1, 0.5]),
  atMost('heapPerStream', 'heap per open event stream', 'KB', [16, 8]),
  atMost('residentPerStream', 'resident memory per open event stream', 'KB', [16, null]),
  atMost('coldStart', 'cold start to first answer', 'ms', [500, 300]),
  atMost('kitFirstStart', 'the first startMiftah() of a process', 'ms', [500, null]),
  atMost('kitFurtherStart', 'each further one', 'ms', [100, null]),
  atMost('idleMemory', 'resident memory when idle', 'MB', [115, 80]),
  {
    id: 'flushesPerCommit',
    name: 'flushes of the disk for one commit',
    unit: '',
    bound: 'exactly',
    limit: 1,
    stretch: null,
  },
];

/** The result for each given measure, in the order of the targets. */
export function judge(measures: Partial<Measures>): TargetResult[] {
  return TARGETS.flatMap((target) => {
    const measured = measures[target.id];
    if (measured === undefined) return [];
    return [{ ...target, measured, verdict: verdictOn(target, measured) }];
  });
}

function verdictOn({ bound, limit }: Target, measured: number | null): TargetResult['verdict'] {
  if (measured === null || Number.isNaN(measured)) return 'not measured';
  const isMet = {
    'at least': measured >= limit,
    'at most': measured <= limit,
    exactly: measured === limit,
  }[bound];
  return isMet ? 'met' : 'not met';
}

function atLeast(id: Target['id'], name: string, limit: number, stretch: number | null): Target {
  return { id, name, unit: '', bound: 'at least', limit, stretch };
}

function atMost(
  id: Target['id'],
  name: string,
  unit: Target['unit'],
  [limit, stretch]: readonly [number, number | null],
): Target {
  return { id, name, unit, bound: 'at most', limit, stretch };
}
