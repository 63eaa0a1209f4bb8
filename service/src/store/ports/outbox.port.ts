import type { AttemptRecord } from '../../attempt/attempt.ts';
import type { AttemptId } from '../../values/ids.ts';
import type { Ms } from '../../values/time.ts';
import type { Delivery, DeliveryToSend, WebhookEvent } from '../../webhooks/webhook.ts';

/** A receiver, as the store needs to know it. */
export interface Subscription {
  readonly receiver: string;
  readonly client: string;
  readonly events: readonly WebhookEvent[];
}

/** What a command has written, after its commit. */
export interface Written {
  /** Those for whom something was written. */
  readonly receivers: ReadonlySet<string>;
  /** Those of which `takes` has said yes for this command, also where nothing was written for them. */
  readonly offered: readonly string[];
  readonly taken: readonly DeliveryToSend[];
}

/** Who sends what is written. */
export interface Sender {
  /** Whether it sends at once what a command that is made now writes for the receiver (S-152). */
  readonly takes: (receiver: string) => boolean;
  /** Until when nobody else sends what a command that is made now writes. */
  readonly leaseEnd: () => Ms;
  readonly onWritten: (written: Written) => void;
}

export interface LeaseDeliveries {
  readonly receiver: string;
  readonly limit: number;
  readonly at: Ms;
  /** Until then nobody else gets them. */
  readonly until: Ms;
}

/** A try that has failed. */
export interface FailedTry {
  /** As it was leased. */
  readonly delivery: Pick<Delivery, 'deliveryId' | 'tries'>;
  readonly answer: string;
  readonly at: Ms;
  /** Null when it is given up. */
  readonly nextAt: Ms | null;
}

export interface SweepExpired {
  readonly now: Ms;
  /** How long after an expiry a change that began before it may still be written. */
  readonly graceMs: Ms;
  /** No expiry from longer ago is told. */
  readonly longestMs: Ms;
}

export interface PendingPushes {
  /** Of the clients with a subscription, or of all. */
  readonly of: 'told' | 'all';
  readonly now: Ms;
  /** The attempts after this one; null for the oldest. */
  readonly after: AttemptId | null;
  readonly limit: number;
}

export interface EndedBefore {
  readonly deliveredBefore: Ms;
  readonly givenUpBefore: Ms;
  /** What has been tried since before this is given up. */
  readonly sinceBefore: Ms;
  readonly at: Ms;
  readonly limit: number;
}

export interface ClearedDeliveries {
  /** Rows of the kind that had most. */
  readonly most: number;
  /** The receiver of each row that was given up. */
  readonly givenUp: readonly string[];
}

export interface GiveUpDeliveries {
  readonly receiver: string;
  /** Those that have waited longest, which costs more; else any. */
  readonly isOldestFirst: boolean;
  /** Why, in the place of an answer. */
  readonly answer: string;
  readonly at: Ms;
  readonly limit: number;
}

export interface ReplayHow {
  /** Nothing else is sent again. */
  readonly receivers: readonly string[];
  readonly at: Ms;
  readonly limit: number;
}

export interface CountedDeliveries {
  readonly receiver: string;
  readonly client: string;
  readonly count: number;
}

export interface WaitingDeliveries extends CountedDeliveries {
  /** Since when the oldest waits: of a replayed one, since the replay. */
  readonly oldestAt: Ms;
}

export interface SwitchedOff {
  readonly receiver: string;
  readonly client: string;
  readonly at: Ms;
}

/**
 * What back ends are told of changes: written with the change, and sent afterwards. What is sent
 * before the commit may be false after a kill.
 *
 * - S-132: after `tellTo` each change that is an event of a subscription's client has one row for
 *   that receiver, written in the same transaction; a change that was refused, or had no effect, has
 *   none. Without subscriptions nothing is written. `onWritten` is called after such a commit.
 * - S-152: an end of an attempt is written as leased for the receivers of which `takes` says yes, until
 *   `leaseEnd`, whenever the end was, and `onWritten` has it: to send it needs no commit of its own.
 *   Whoever is killed before has left it to others, by S-135.
 * - S-133: an end of an attempt is told once: `attempt.authenticated`, `.rejected` (a cancel too) and
 *   `.failed`, with the reason, by whichever call of the store it ends. `disableUser` tells
 *   `user.disabled` to the clients that have had a token of the user, `revokeAll` tells
 *   `tokens.revoked` for each user of whom it has revoked a token to the token's client. `restore`
 *   tells nothing.
 * - S-134: `sweepExpired` writes `attempt.expired` for each attempt that expired while it was pending,
 *   at the latest when its expiry is older than `graceMs`, and never twice, under any race. It begins
 *   at its first call, and gives how many it wrote.
 * - S-141: `pendingPushes` gives the pending attempts by phone, of clients with a subscription or of
 *   all, in the order of their ids.
 * - S-135: `lease` gives at most `limit` rows that are due, those due first, and nobody gets one of
 *   them again before `until`, under any race. A lease is a try. `isDue` says whether it would give any.
 * - S-136: `delivered` ends a delivery for good, also after its lease. `failed` sets its next try, or
 *   gives it up, unless somebody else has leased it meanwhile. Both keep the answer. `untried` gives
 *   a lease back: it was no try, and the answer before it stays.
 * - S-151: for the commits of these four, and of `sweepExpired`, no request waits where other changes
 *   come: they go with the next one, and alone a tenth of a second after the last one. What is called
 *   later, on the same rows too, happens later. When the store is closed they are written.
 * - S-137: `switchOff` gives true to the one call that has switched the receiver off, and from then on
 *   nothing is written for it, until `switchOn`, which gives whether it was off.
 * - S-146: `giveUp` gives up at most `limit` rows that wait for the receiver, and gives how many.
 *   `isBeyond` says whether more than `most` wait for it.
 * - S-138: `clear` removes, at most `limit` rows of each kind, what ended before the bounds, and gives
 *   up what has waited since before `sinceBefore`. It gives the most of a kind, and whose was given up.
 * - S-139: `replay` makes given-up deliveries of the receivers due again, of a client at most `limit`,
 *   or one by its id, and gives how many. `givenUpOne` is that one before, and `givenUpCounts` counts by
 *   receiver.
 * - S-147: `waiting` counts, by receiver, at most `limit` rows, those that have waited longest, of
 *   the receivers given; without them, of all. It looks at the 20,000 that
 *   have waited longest, or at `limit` of them if that is more.
 *   `oldestTried` is the one of a receiver that has waited longest and was answered; null for none.
 * - S-140: `eraseUser` removes what names the user or their attempts; `restore` removes everything.
 */
export interface Outbox {
  tellTo(subscriptions: readonly Subscription[], sender?: Sender): void;
  sweepExpired(sweep: SweepExpired): Promise<number>;
  pendingPushes(page: PendingPushes): Promise<readonly AttemptRecord[]>;
  isDue(receiver: string, at: Ms): Promise<boolean>;
  lease(lease: LeaseDeliveries): Promise<readonly Delivery[]>;
  delivered(deliveryId: string, answer: string, at: Ms): Promise<void>;
  failed(failure: FailedTry): Promise<void>;
  untried(delivery: FailedTry['delivery'], nextAt: Ms): Promise<void>;
  switchOff(change: SwitchedOff): Promise<boolean>;
  switchOn(receiver: string): Promise<boolean>;
  clear(bounds: EndedBefore): Promise<ClearedDeliveries>;
  giveUp(some: GiveUpDeliveries): Promise<number>;
  isBeyond(receiver: string, most: number): Promise<boolean>;
  replay(
    which: { readonly client: string } | { readonly deliveryId: string },
    how: ReplayHow,
  ): Promise<number>;
  givenUpOne(deliveryId: string): Promise<Delivery | null>;
  givenUpCounts(): Promise<readonly CountedDeliveries[]>;
  waiting(limit: number, receivers?: readonly string[]): Promise<readonly WaitingDeliveries[]>;
  oldestTried(receiver: string): Promise<Delivery | null>;
  /** The last given up come first. @param client null for all */
  givenUp(client: string | null, limit: number): Promise<readonly Delivery[]>;
  switchedOff(): Promise<readonly SwitchedOff[]>;
  ofAttempt(attemptId: AttemptId): Promise<readonly Delivery[]>;
}
