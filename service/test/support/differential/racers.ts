import type { AttemptRecord } from '../../../src/attempt/attempt.ts';
import type { Store } from '../../../src/store/ports/store.port.ts';
import { authentication, redemption, sampleAttempt } from '../../conformance/samples.ts';

export const RACERS = 64;
/** Attempts that are raced for side by side. */
const SIDE_BY_SIDE = 25;

export interface RacedFor {
  readonly attempts: number;
  /** What was not one token for one racer and nothing for the others. */
  readonly wrong: readonly string[];
}

/** For each attempt 64 redemptions at once, over all instances. */
export async function raceForTokens(stores: readonly Store[], attempts: number): Promise<RacedFor> {
  const wrong: string[] = [];
  for (let done = 0; done < attempts; done += SIDE_BY_SIDE) {
    const count = Math.min(SIDE_BY_SIDE, attempts - done);
    const races = Array.from({ length: count }, () => raceForToken(stores));
    wrong.push(...(await Promise.all(races)).flat());
  }
  return { attempts, wrong };
}

export async function authenticatedBy(
  store: Store,
  person = authentication(sampleAttempt()).person,
): Promise<AttemptRecord> {
  const attempt = sampleAttempt();
  await store.insertAttempt(attempt);
  const login = await store.authenticateAttempt(authentication(attempt, { person }));
  if (login === null) throw new Error('the login was refused');
  return login.attempt;
}

async function raceForToken(stores: readonly Store[]): Promise<string[]> {
  const [first] = stores;
  if (first === undefined) throw new Error('there is no store');
  const attempt = await authenticatedBy(first);
  const racers = Array.from({ length: RACERS }, (_, racer) =>
    (stores[racer % stores.length] ?? first).redeemAttempt(redemption(attempt)),
  );
  const ends = await Promise.allSettled(racers);
  const faults = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
  const issued = ends.flatMap((end) =>
    end.status === 'fulfilled' && end.value !== null ? [end.value] : [],
  );
  const found = await Promise.all(stores.map((one) => one.findTokenOfAttempt(attempt.attemptId)));
  return [
    ...faults,
    ...(issued.length === 1 ? [] : [`${issued.length} tokens for one attempt`]),
    ...(found.every((one) => one?.token.tokenId === issued[0]?.tokenId)
      ? []
      : ['another token is stored']),
  ];
}
