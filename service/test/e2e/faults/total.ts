import type { FaultRecord, RunFigures } from './record.ts';

/** What all runs of one fault found together. */
export interface Total extends Pick<RunFigures, 'cycles' | 'acknowledged' | 'lost'> {
  readonly runs: number;
  /** When the first of them ended, in ISO 8601, UTC. */
  readonly since: string;
}

export function totalOf({ runs }: Pick<FaultRecord, 'runs'>): Total {
  const sum = (of: (run: RunFigures) => number) => runs.reduce((all, run) => all + of(run), 0);
  const isCounted = runs.some(({ acknowledged }) => acknowledged !== null);
  return {
    cycles: sum(({ cycles }) => cycles),
    acknowledged: isCounted ? sum(({ acknowledged }) => acknowledged ?? 0) : null,
    lost: sum(({ lost }) => lost),
    runs: runs.length,
    since: runs.map(({ date }) => date).toSorted()[0] ?? '',
  };
}

/**
 * The record of the newest run, with the runs of both. A run that is in both counts once, so records
 * of several checkouts can be merged in any order, and again.
 */
export function mergeRecords(one: FaultRecord, other: FaultRecord): FaultRecord {
  const newest = other.date > one.date ? other : one;
  const runs = new Map([...one.runs, ...other.runs].map((run) => [`${run.date} ${run.seed}`, run]));
  const inOrder = [...runs.values()].toSorted((a, b) => a.date.localeCompare(b.date));
  return { ...newest, runs: inOrder };
}
