import type { Kind, Stream } from '../load/job.ts';

export type ServerName = 'raw' | 'sqlite' | 'memory' | 'singleCommits';
export type ContenderId =
  | 'raw'
  | 'startMemory'
  | 'startSingleCommits'
  | 'start'
  | 'status'
  | 'statusBesideStarts'
  | 'complete'
  | 'token';

export interface Contender {
  readonly id: ContenderId;
  readonly name: string;
  readonly server: ServerName;
  /** All at the same time; the first one is measured. */
  readonly kinds: readonly Kind[];
}

/**
 * In the order of a round. On SQLite they follow the life of an attempt, so that each finds the
 * attempts that the one before has brought to its state.
 */
export const CONTENDERS: readonly Contender[] = [
  { id: 'raw', name: 'raw node:http GET', server: 'raw', kinds: ['raw'] },
  { id: 'startMemory', name: 'start, memory store', server: 'memory', kinds: ['start'] },
  {
    id: 'startSingleCommits',
    name: 'start, SQLite, a commit each',
    server: 'singleCommits',
    kinds: ['start'],
  },
  { id: 'start', name: 'start, SQLite', server: 'sqlite', kinds: ['start'] },
  { id: 'status', name: 'status, SQLite', server: 'sqlite', kinds: ['status'] },
  {
    id: 'statusBesideStarts',
    name: 'status beside starts',
    server: 'sqlite',
    kinds: ['status', 'start'],
  },
  { id: 'complete', name: 'complete, SQLite', server: 'sqlite', kinds: ['complete'] },
  { id: 'token', name: 'token, SQLite', server: 'sqlite', kinds: ['token'] },
];

export function streamsOf({ kinds }: Contender, connections: number): Stream[] {
  return kinds.map((kind) => ({ kind, connections }));
}
