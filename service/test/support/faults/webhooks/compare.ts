import type { Receiver } from './receivers.ts';
import type { Outcome, StoredEnd } from './told-store.ts';

export interface Known {
  readonly ends: readonly StoredEnd[];
  /** Of attempts whose end was answered with success. */
  readonly acknowledged: Iterable<string>;
  /** Of attempts that ended while nobody had a receiver. */
  readonly untold: ReadonlySet<string>;
  /** Whether the time was moved so far that each attempt without an end has expired, and is told. */
  readonly haveExpired: boolean;
}

type Told = Pick<Receiver, 'id' | 'client' | 'manner' | 'told' | 'arrived'>;

const EXPIRED = 'attempt.expired';

/** @returns what was answered with success, and is not there */
export function missingEnds({ ends, acknowledged }: Known): string[] {
  const ended = new Set(ends.filter(({ events }) => events.length > 0).map((end) => end.attemptId));
  return [...acknowledged]
    .filter((id) => !ended.has(id))
    .map((id) => `the end of ${id} was acknowledged, and is not stored`);
}

/** The ids of the webhooks that the receiver has to get. */
export function expectedOf({ ends, untold, haveExpired }: Known, receiver: Told): string[] {
  return ends
    .filter(({ client, attemptId }) => client === receiver.client && !untold.has(attemptId))
    .flatMap(({ attemptId, events }) => {
      const told = events.length === 0 && haveExpired ? [EXPIRED] : events;
      return told.map((event) => `${attemptId}_${event.replace('.', '_')}_${receiver.id}`);
    });
}

/** @returns what is neither delivered nor in the list of what waits or was given up, and what was invented */
export function wrongOf(
  known: Known,
  receiver: Told,
  outcomes: ReadonlyMap<string, Outcome>,
): string[] {
  const expected = new Set(expectedOf(known, receiver));
  const lost = [...expected].filter((id) => {
    const outcome = outcomes.get(id);
    return !receiver.told.has(id) && outcome !== 'waiting' && outcome !== 'given_up';
  });
  const invented = [...receiver.arrived.keys()].filter(
    (id) => !expected.has(id) && !(outcomes.has(id) && id.includes('_attempt_expired_')),
  );
  const { manner } = receiver;
  return [
    ...lost.map((id) => `${id} is lost for the receiver that is ${manner}`),
    ...invented.map(
      (id) => `${id} has not happened, and was told to the receiver that is ${manner}`,
    ),
  ];
}
