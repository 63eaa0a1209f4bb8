import type { Receiver } from './receivers.ts';
import type { StoredEnd, StoredPage } from './told-store.ts';

export interface Known {
  /** Of attempts that ended while nobody had a receiver. */
  readonly untold: ReadonlySet<string>;
  /** Whether the time was moved so far that each attempt without an end has expired, and is told. */
  readonly haveExpired: boolean;
}

type Told = Pick<Receiver, 'id' | 'client' | 'manner' | 'told'>;

const EXPIRED = 'attempt.expired';
const AFTER_ALL = 'g';

/** Takes out what is stored. What is left at the end was answered with success, and is not there. */
export function forgetStored(acknowledged: Set<string>, ends: readonly StoredEnd[]): void {
  for (const { attemptId, events } of ends) if (events.length > 0) acknowledged.delete(attemptId);
}

/** The ids of the webhooks that the receiver has to get. */
export function expectedOf(
  { untold, haveExpired }: Known,
  ends: readonly StoredEnd[],
  receiver: Pick<Told, 'id' | 'client'>,
): string[] {
  return ends
    .filter(({ client, attemptId }) => client === receiver.client && !untold.has(attemptId))
    .flatMap(({ attemptId, events }) => {
      const told = events.length === 0 && haveExpired ? [EXPIRED] : events;
      return told.map((event) => `${attemptId}_${event.replace('.', '_')}_${receiver.id}`);
    });
}

/**
 * @param arrived the ids of webhooks of the attempts of this page
 * @returns what is neither delivered nor in the list of what waits or was given up, and what was invented
 */
export function wrongOf(
  expectedIds: readonly string[],
  outcomes: StoredPage['outcomes'],
  { manner, told }: Pick<Told, 'manner' | 'told'>,
  arrived: readonly string[],
): string[] {
  const expected = new Set(expectedIds);
  const lost = expectedIds.filter((id) => {
    const outcome = outcomes.get(id);
    return !told.has(id) && outcome !== 'waiting' && outcome !== 'given_up';
  });
  const invented = arrived.filter(
    (id) => !expected.has(id) && !(outcomes.has(id) && id.includes('_attempt_expired_')),
  );
  return [
    ...lost.map((id) => `${id} is lost for the receiver that is ${manner}`),
    ...invented.map(
      (id) => `${id} has not happened, and was told to the receiver that is ${manner}`,
    ),
  ];
}

/** What has come to a receiver, in the order in which the store is read. */
export class Arrived {
  readonly #ids: readonly string[];
  #next = 0;

  constructor(ids: Iterable<string>) {
    this.#ids = [...ids].toSorted();
  }

  /** Those that were not given yet, of attempts up to this one. */
  upTo(attemptId: string): readonly string[] {
    const from = this.#next;
    while ((this.#ids[this.#next] ?? AFTER_ALL).slice(0, attemptId.length) <= attemptId) {
      this.#next += 1;
    }
    return this.#ids.slice(from, this.#next);
  }

  rest(): readonly string[] {
    return this.#ids.slice(this.#next);
  }
}
