import { WAITER_LIMITS, type WaiterLimits } from '../../values/limits.ts';
import { SECOND_MS } from '../../values/time.ts';
import type { AttemptNotifier } from '../../platform/coordination/coordination.port.ts';
import type { Meter, WaitKind } from '../../operate/metrics/meter.port.ts';
import type { Timer } from '../../platform/runtime.port.ts';
import { StatusWaiter } from './status-waiter.flow.ts';

/** Two, because a page that is loaded again opens a stream before the earlier one has closed. */
const MOST_FOR_ATTEMPT = 2;
/**
 * When anything may have changed, each one reads: not all in one moment, which is when the database
 * has just come back.
 */
const PORTION = 100;
/** All who wait together read no more often than this without a sign, so that logins go on. */
const MOST_READS_A_SECOND = 2000;

const PORTION_PAUSE_MS = 10;

export interface StatusWaitersOptions {
  readonly limits: WaiterLimits;
  /** Tells of changes, on this instance and on others. */
  readonly notifier: AttemptNotifier;
  readonly timer: Timer;
  readonly meter: Pick<Meter, 'limitHit' | 'waitBegins'>;
}

/** What a place is asked for. */
export interface Asked {
  readonly kind: WaitKind;
  readonly attemptId: string;
  /** The client that has started the attempt. */
  readonly client: string;
  /** As rate limits count it. */
  readonly address: string;
}

/** There is none. */
export interface NoPlace {
  /** One of `WAITER_LIMITS`; null while the service stops. */
  readonly limit: string | null;
}

/**
 * Those who wait on this instance for an attempt to end: event streams, long polls, pings of CIBA.
 * Each reads the status again at a sign of a change, and without one: what `GET /status` would say is
 * all that anybody is told. A revision in the row would be a write for each change, and a message
 * with the status in it a second way to show one.
 */
export class StatusWaiters {
  readonly #options: StatusWaitersOptions;
  readonly #ofAttempt = new Map<string, Set<StatusWaiter>>();
  readonly #ofClient = new Map<string, number>();
  readonly #ofAddress = new Map<string, number>();
  #open = 0;
  #connected = 0;
  #isStopped = false;
  #stopListening: (() => void) | null = null;
  #react: (connected: number) => void = () => undefined;

  constructor(options: StatusWaitersOptions) {
    this.#options = options;
  }

  /** Calls `react` with the number of those who wait with a connection whenever it changes. */
  whenChanged(react: (connected: number) => void): void {
    this.#react = react;
  }

  admit(asked: Asked): StatusWaiter | NoPlace {
    if (this.#isStopped) return { limit: null };
    const { timer, meter } = this.#options;
    const limit = this.#limitOn(asked);
    if (limit !== null) {
      meter.limitHit(limit);
      return { limit };
    }
    this.#listen();
    const ended = meter.waitBegins(asked.kind);
    const leastPause = () => (this.#open / MOST_READS_A_SECOND) * SECOND_MS;
    const waiter: StatusWaiter = new StatusWaiter({ timer, leastPause }, (end) => {
      this.#leave(asked, waiter);
      ended(end);
    });
    this.#enter(asked, waiter);
    return waiter;
  }

  /** The attempt may have changed. */
  wake(attemptId: string): void {
    for (const waiter of this.#ofAttempt.get(attemptId) ?? []) waiter.wake();
  }

  /** Any attempt may have changed. */
  wakeAll(): void {
    this.#wakeInPortions(this.#all());
  }

  /** The clock was moved: any attempt may have ended, and what was told of the time is wrong. */
  timeMoved(): void {
    for (const waiter of this.#all()) waiter.noteMove();
    this.wakeAll();
  }

  /** Ends all waiting, and admits nobody any more. */
  stop(): void {
    this.#isStopped = true;
    this.#stopListening?.();
    for (const waiters of this.#ofAttempt.values()) {
      for (const waiter of waiters) waiter.end('service_stopped');
    }
  }

  /** What has no place left; null when there is one. */
  #limitOn({ attemptId, address, client }: Asked): string | null {
    const { most, ofClient, ofAddress } = this.#options.limits;
    if ((this.#ofAttempt.get(attemptId)?.size ?? 0) >= MOST_FOR_ATTEMPT) {
      return WAITER_LIMITS.attempt;
    }
    if (this.#open >= most) return WAITER_LIMITS.instance;
    if ((this.#ofAddress.get(address) ?? 0) >= ofAddress) return WAITER_LIMITS.address;
    if ((this.#ofClient.get(client) ?? 0) >= ofClient) return WAITER_LIMITS.client;
    return null;
  }

  /** From the first one who waits: to listen may cost a connection. */
  #listen(): void {
    this.#stopListening ??= this.#options.notifier.listen({
      onAttempt: (attemptId) => this.wake(attemptId),
      onAny: () => this.wakeAll(),
    });
  }

  #all(): readonly StatusWaiter[] {
    return [...this.#ofAttempt.values()].flatMap((waiters) => [...waiters]);
  }

  #wakeInPortions(waiters: readonly StatusWaiter[]): void {
    for (const waiter of waiters.slice(0, PORTION)) waiter.wake();
    if (waiters.length <= PORTION) return;
    this.#options.timer.after(PORTION_PAUSE_MS, () => this.#wakeInPortions(waiters.slice(PORTION)));
  }

  #enter(asked: Asked, waiter: StatusWaiter): void {
    const ofAttempt = this.#ofAttempt.get(asked.attemptId) ?? new Set();
    this.#ofAttempt.set(asked.attemptId, ofAttempt.add(waiter));
    this.#count(asked, 1);
  }

  #leave(asked: Asked, waiter: StatusWaiter): void {
    const ofAttempt = this.#ofAttempt.get(asked.attemptId);
    ofAttempt?.delete(waiter);
    if (ofAttempt?.size === 0) this.#ofAttempt.delete(asked.attemptId);
    this.#count(asked, -1);
  }

  #count({ kind, client, address }: Asked, change: 1 | -1): void {
    this.#open += change;
    if (kind !== 'ping') this.#connected += change;
    add(this.#ofClient, client, change);
    add(this.#ofAddress, address, change);
    this.#react(this.#connected);
  }
}

/** A key whose number is 0 is not kept. */
function add(numbers: Map<string, number>, key: string, change: 1 | -1): void {
  const left = (numbers.get(key) ?? 0) + change;
  if (left === 0) numbers.delete(key);
  else numbers.set(key, left);
}
