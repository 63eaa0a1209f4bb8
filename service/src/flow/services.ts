import type { AttemptRecord } from '../domain/attempt.ts';
import type { RefusedTokenEvent } from '../domain/audit.ts';
import type { Rules } from '../domain/rules.ts';
import type { Ms } from '../domain/time.ts';
import type { Clients } from '../ports/clients.ts';
import type { AttemptLock, RateLimiter } from '../ports/coordination.ts';
import type { EndUser, LoginResult, RemoteProvider } from '../ports/identity-provider.ts';
import type { Meter } from '../ports/meter.ts';
import type { Random } from '../ports/runtime.ts';
import type { Simulation } from '../ports/simulation.ts';
import type { Store } from '../ports/store/index.ts';
import type { HeldSpoils } from './held-spoils.ts';
import type { StatusWaiters } from './outcome/status-waiters.ts';
import type { RepeatedEvents } from './repeated-events.ts';

/** What every flow works with. Time is not part of it: each call gets its `now` as a parameter. */
export interface Services {
  readonly rules: Rules;
  readonly store: Store;
  readonly startAtProvider: StartAtProvider;
  readonly collectNews: CollectNews;
  readonly withdrawPrompt: WithdrawPrompt;
  readonly clients: Clients;
  readonly random: Random;
  readonly meter: Meter;
  /** Logs a failure that the caller is not told of. Never fails; logs no text of the failure. */
  readonly logFailure: (failure: unknown, message: string) => void;
  /** Logs that tokens of the provider were refused. Never fails. */
  readonly logRefusedToken: (event: RefusedTokenEvent) => void;
  readonly attemptLock: AttemptLock;
  /** Who waits on this instance for an attempt to end. */
  readonly waiters: StatusWaiters;
  readonly heldSpoils: HeldSpoils;
  readonly unknownIds: RateLimiter;
  readonly repeated: RepeatedEvents;
  /** The server's secret, 32 bytes. */
  readonly serverKey: Uint8Array;
  /** Other secrets of this service, which its other instances may still use or use already. */
  readonly otherKeys: readonly Uint8Array[];
  readonly tokenLifetimeMs: Ms;
}

/**
 * Registers a new attempt with the provider and the store: `start/local-start.ts` for a provider in
 * this process, `start/remote-start.ts` for one that is called over the network.
 */
export interface StartAtProvider {
  /** @returns the attempt as it is stored. @throws Refusal */
  redirect(record: AttemptRecord, endUser: EndUser, now: Ms): Promise<AttemptRecord>;
  /** @returns the attempt as it is stored, with the number to match. @throws Refusal */
  push(record: AttemptRecord, endUser: EndUser, now: Ms): Promise<AttemptRecord>;
}

/**
 * Gives the person's decision on a pending attempt: from a provider in this process directly, from
 * a remote one by `outcome/remote-news.ts`.
 * @throws Refusal
 */
export type CollectNews = (record: AttemptRecord, now: Ms) => Promise<LoginResult>;

/**
 * Takes back what waits for the person of a cancelled attempt, where the provider has a way to do so.
 * The provider's interface, as it is known, has none; without it the prompt stays on the phone until
 * it expires, and its answer changes nothing.
 */
export type WithdrawPrompt = (record: AttemptRecord, now: Ms) => void;

/** Simulator mode: tests can decide in place of the person. */
export interface SimulatorServices extends Services {
  readonly simulation: Simulation;
}

/** Live mode: the provider is called over the network. */
export interface LiveServices extends Services {
  readonly provider: RemoteProvider;
}
