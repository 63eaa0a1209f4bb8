import type { Clients } from '../account/clients.port.ts';
import type { RefusedTokenEvent } from '../audit/audit.ts';
import type { RepeatedEvents } from '../audit/repeated-events.flow.ts';
import type { Meter } from '../operate/metrics/meter.port.ts';
import type { AttemptLock, RateLimiter } from '../platform/coordination/coordination.port.ts';
import type { ServerKeys } from '../platform/keys/server-keys.port.ts';
import type { Random } from '../platform/runtime.port.ts';
import type { EndUser, LoginResult, RemoteProvider } from '../provider/identity-provider.port.ts';
import type { Simulation } from '../simulate/simulation.port.ts';
import type { BegunFor, Store } from '../store/ports/store.port.ts';
import type { AttemptId } from '../values/ids.ts';
import type { Ms } from '../values/time.ts';
import { ATTEMPT_LIFETIME_MS, type AttemptRecord } from './attempt.ts';
import type { Rules } from './rules.ts';
import type { StatusWaiters } from './status/status-waiters.flow.ts';

/** What every flow works with. Time is not part of it: each call gets its `now` as a parameter. */
export interface Services {
  readonly rules: Rules;
  readonly store: Store;
  readonly startAtProvider: StartAtProvider;
  readonly collectNews: CollectNews;
  readonly withdrawPrompt: WithdrawPrompt;
  readonly clients: Clients;
  /** Where the browser of a sign-in by OpenID comes back to; absent where OPENID is off. */
  readonly openidReturn?: string;
  readonly random: Random;
  readonly meter: Meter;
  /** Logs a failure that the caller is not told of. Never fails; logs no text of the failure. */
  readonly logFailure: (failure: unknown, message: string, reason?: string) => void;
  /** Logs that tokens of the provider were refused. Never fails. */
  readonly logRefusedToken: (event: RefusedTokenEvent) => void;
  readonly attemptLock: AttemptLock;
  /** Who waits on this instance for an attempt to end. */
  readonly waiters: StatusWaiters;
  readonly heldSpoils: HeldSpoils;
  readonly unknownIds: RateLimiter;
  readonly repeated: RepeatedEvents;
  readonly keys: ServerKeys;
  readonly tokenLifetimeMs: Ms;
}

/**
 * Registers a new attempt with the provider and the store: `localStart` for a provider in this
 * process, `remoteStart` for one that is called over the network (`start/start-attempt.flow.ts`).
 */
export interface StartAtProvider {
  /** @returns the attempt as it is stored. @throws Refusal */
  redirect(record: AttemptRecord, wanted: AtProvider, now: Ms): Promise<AttemptRecord>;
  /** @returns the attempt as it is stored, with the number to match. @throws Refusal */
  push(record: AttemptRecord, wanted: AtProvider, now: Ms): Promise<AttemptRecord>;
}

/** What is known of a start beside the attempt's record. */
export interface AtProvider {
  readonly endUser: EndUser;
  /**
   * Written with the attempt once the provider has taken it. Where another attempt was begun for it
   * meanwhile, the start is refused with `attempt.not_found`.
   */
  readonly begunFor?: BegunFor | null;
}

/**
 * Gives the person's decision on a pending attempt: from a provider in this process directly, from
 * a remote one by `attempt/finish/remote-news.flow.ts`.
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

interface Held {
  readonly record: AttemptRecord;
  readonly since: Ms;
}

/**
 * Spoiled attempts whose mark is not in the store, because the store was full or busy or is still
 * writing. Each is kept until its mark is written, and at most as long as an attempt can be open, so
 * there are never more than attempts that are open at the same time. Only a kill loses them.
 */
export class HeldSpoils {
  readonly #held = new Map<AttemptId, Held>();

  hold(record: AttemptRecord, now: Ms): void {
    this.#dropEnded(now);
    const { attemptId } = record;
    if (!this.#held.has(attemptId)) this.#held.set(attemptId, { record, since: now });
  }

  release(attemptId: AttemptId): void {
    this.#held.delete(attemptId);
  }

  has(attemptId: AttemptId): boolean {
    return this.#held.has(attemptId);
  }

  /** Those whose mark is still to be written. */
  unwritten(now: Ms): readonly AttemptRecord[] {
    this.#dropEnded(now);
    return [...this.#held.values()].map(({ record }) => record);
  }

  /** Puts it behind the others, so that one that can't be written keeps none of them waiting. */
  postpone(attemptId: AttemptId): void {
    const held = this.#held.get(attemptId);
    if (held === undefined) return;
    this.#held.delete(attemptId);
    this.#held.set(attemptId, held);
  }

  #dropEnded(now: Ms): void {
    for (const [attemptId, { since }] of this.#held) {
      if (now >= since + ATTEMPT_LIFETIME_MS) this.#held.delete(attemptId);
    }
  }
}
