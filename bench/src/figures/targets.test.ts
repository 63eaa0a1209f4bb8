import { describe, expect, it } from 'vitest';
import { judge, type Measures } from './targets.ts';

const NOTHING: Measures = {
  statusToRaw: null,
  startToRaw: null,
  completeToRaw: null,
  tokenToRaw: null,
  loginCpu: null,
  loginPacedCpu: null,
  loginLongPollCpu: null,
  loginLongPollPacedCpu: null,
  statusAsStartedToRaw: null,
  startAsStartedToRaw: null,
  loginPacedAsStartedCpu: null,
  peerLoginCpu: null,
  openidStartCpu: null,
  openidPollCpu: null,
  openidCibaLoginCpu: null,
  openidLoginCpu: null,
  startToMemory: null,
  startToSingleCommits: null,
  startToPeer: null,
  statusToPeer: null,
  statusBesideStarts: null,
  startAtTenMillion: null,
  memoryPerAttempt: null,
  heapPerStream: null,
  residentPerStream: null,
  coldStart: null,
  kitFirstStart: null,
  kitFurtherStart: null,
  idleMemory: null,
  flushesPerCommit: null,
};

function verdictOn(id: keyof Measures, measured: number): string | undefined {
  return judge({ ...NOTHING, [id]: measured }).find((target) => target.id === id)?.verdict;
}

describe('a target', () => {
  it.each([
    ['statusToRaw', 0.45, 'met'],
    ['statusToRaw', 0.449, 'not met'],
    ['loginCpu', 0.8, 'met'],
    ['loginCpu', 0.801, 'not met'],
    ['flushesPerCommit', 1, 'met'],
    ['flushesPerCommit', 0.99, 'not met'],
    ['flushesPerCommit', 1.01, 'not met'],
    ['statusBesideStarts', 2, 'met'],
    ['statusBesideStarts', 2.01, 'not met'],
    ['coldStart', Number.NaN, 'not measured'],
  ] as const)('%s is at %d %s', (id, measured, verdict) => {
    expect(verdictOn(id, measured)).toBe(verdict);
  });

  it('that was not measured is not called met', () => {
    expect(new Set(judge(NOTHING).map(({ verdict }) => verdict))).toEqual(
      new Set(['not measured']),
    );
  });

  it('names its limit and what to hope for, which is never easier', () => {
    for (const { bound, limit, stretch } of judge(NOTHING)) {
      if (stretch === null) continue;
      expect(bound === 'at least' ? stretch - limit : limit - stretch).toBeGreaterThan(0);
    }
  });
});
