import { Journal, type Entry } from '@miftah/simulator/app';
import { vi } from 'vitest';

/** What a service of this process records from now on. */
export interface Recorded {
  /** Of one attempt, in the order in which it was recorded. */
  of(attemptId: string): readonly Entry[];
  /** Name and status of each exchange that the service has answered. */
  namesOf(attemptId: string): readonly string[];
  readonly count: number;
}

export function watchJournal(): Recorded {
  const { mock } = vi.spyOn(Journal.prototype, 'record');
  const entriesOf = (attemptId: string) =>
    mock.calls.filter(([id]) => id === attemptId).map(([, , entry]) => entry);
  return {
    of: entriesOf,
    namesOf: (attemptId) =>
      entriesOf(attemptId)
        .filter(({ side, name }) => side === 'area_a' || name === 'push_callback')
        .map(({ name, exchange }) => `${name} ${exchange?.status ?? 'lost'}`),
    get count() {
      return mock.calls.length;
    },
  };
}
