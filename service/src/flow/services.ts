import type { AttemptRecord } from '../domain/attempt.ts';
import type { Rules } from '../domain/rules.ts';
import type { Ms } from '../domain/time.ts';
import type { Clients } from '../ports/clients.ts';
import type { RateLimiter } from '../ports/coordination.ts';
import type { EndUser, LoginResult, RemoteProvider } from '../ports/identity-provider.ts';
import type { Meter, Random } from '../ports/runtime.ts';
import type { Simulation } from '../ports/simulation.ts';
import type { Store } from '../ports/store.ts';
import type { AttemptLock } from './attempt-lock.ts';
import type { HeldSpoils } from './held-spoils.ts';
import type { RepeatedEvents } from './repeated-events.ts';

/** What every flow works with. Time is not in it: each call is given its `now`. */
export interface Services {
  readonly rules: Rules;
  readonly store: Store;
  readonly startAtProvider: StartAtProvider;
  readonly collectNews: CollectNews;
  readonly clients: Clients;
  readonly random: Random;
  readonly meter: Meter;
  readonly attemptLock: AttemptLock;
  readonly heldSpoils: HeldSpoils;
  readonly unknownIds: RateLimiter;
  readonly repeated: RepeatedEvents;
  /** The server's secret, 32 bytes. */
  readonly serverKey: Uint8Array;
  readonly tokenLifetimeMs: Ms;
}

/**
 * Makes a new attempt known to the provider and to the store: `start/local-start.ts` where the
 * provider is in this process, `start/remote-start.ts` where it is at the other end of a network.
 */
export interface StartAtProvider {
  /** @returns the attempt as it is stored. @throws Refusal */
  redirect(record: AttemptRecord, endUser: EndUser, now: Ms): Promise<AttemptRecord>;
  /** @returns the same, with the number to match. @throws Refusal */
  push(record: AttemptRecord, endUser: EndUser, now: Ms): Promise<AttemptRecord>;
}

/**
 * Asks the provider what has become of a pending attempt: one in this process knows it, one over a
 * network is asked by `outcome/remote-news.ts`. @throws Refusal
 */
export type CollectNews = (record: AttemptRecord, now: Ms) => Promise<LoginResult>;

/** Only in simulator mode somebody can decide for the person. */
export interface SimulatorServices extends Services {
  readonly simulation: Simulation;
}

/** Only in live mode somebody signs for the person. */
export interface LiveServices extends Services {
  readonly provider: RemoteProvider;
}
