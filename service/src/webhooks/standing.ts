import { Pauses } from '../values/pauses.ts';
import { isDue, MINUTE_MS, type Ms } from '../values/time.ts';
import { waitAfter } from './webhook.ts';

/** How many calls one receiver gets at a time from one instance. */
const AT_ONCE = 8;
/** One that has not answered is asked by one call, so that it does not hold up others. */
const AT_ONCE_FAILING = 1;
/** In a row: then it is the receiver that is wrong, and not what it is told. */
const MOST_REFUSALS = 256;
/** How often at most it is told that a receiver has begun to fail. */
const TOLD_MS = 10 * MINUTE_MS;
/** Of the one thing that pauses here. */
const IT = 'receiver';

/** `refused`: the receiver works, and does not want this one. */
export type Outcome = 'delivered' | 'failed' | 'refused' | 'untried';

/** What is known of a receiver as long as this process runs. */
export class Standing {
  /** The round of leases that is under way. */
  running: Promise<void> | null = null;
  /** Something was written while it ran. */
  isAgain = false;
  /** How many it has leased at most. */
  leased = 0;
  /** What was written as leased, and is being sent. */
  readonly sending = new Set<Promise<void>>();
  /** How many commands may write one more of those. */
  #offered = 0;
  /** Rounds in a row in which nothing was delivered. */
  #failures = 0;
  /** Of single webhooks, in a row. */
  #refusals = 0;
  /** Whether the last one was delivered, or none was sent yet. */
  #isSound = true;
  #toldAt: Ms = Number.NEGATIVE_INFINITY;
  readonly #pauses = new Pauses();

  /** How many may be leased now. */
  get room(): number {
    const most = this.#failures > 0 ? AT_ONCE_FAILING : AT_ONCE;
    return Math.min(most, AT_ONCE - this.sending.size - this.#offered);
  }

  get isFull(): boolean {
    return this.sending.size + this.leased >= AT_ONCE;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  mayBegin(now: Ms): boolean {
    return this.running === null && this.room > 0 && !this.#pauses.has(IT, now);
  }

  /**
   * Whether a command may write one as leased, which is sent at once: not while more waits than is
   * sent at a time, nor while the receiver fails.
   */
  offer(): boolean {
    if (this.running !== null || this.isFailing || this.room <= 0) return false;
    this.#offered += 1;
    return true;
  }

  /** After the command. */
  takeBack(): void {
    this.#offered = Math.max(0, this.#offered - 1);
  }

  /** Of commands that have failed, and of those that have not ended. */
  forgetOffers(): void {
    this.#offered = 0;
  }

  /** @param chance from 0 to 1 */
  learn(outcomes: readonly Outcome[], now: Ms, chance: number): void {
    this.#refusals += outcomes.filter((one) => one === 'refused').length;
    const isFailing = outcomes.includes('failed') || this.#refusals >= MOST_REFUSALS;
    if (outcomes.includes('delivered')) {
      this.#failures = 0;
      this.#refusals = 0;
      this.#pauses.end(IT);
    } else if (isFailing) this.#pause(now, chance);
    // It works again, though it does not want this one.
    else if (outcomes.includes('refused')) this.#failures = 0;
  }

  noteDelivered(): void {
    this.#isSound = true;
  }

  /** @returns whether it is to be told: the first of a row, so that a wrong secret is seen at once */
  noteFailed(now: Ms): boolean {
    const isTold = this.#isSound && isDue(this.#toldAt + TOLD_MS, TOLD_MS, now);
    if (isTold) this.#toldAt = now;
    this.#isSound = false;
    return isTold;
  }

  #pause(now: Ms, chance: number): void {
    this.isAgain = false;
    // What was sent at the same time fails for the same reason.
    if (this.#pauses.has(IT, now)) return;
    this.#failures += 1;
    this.#pauses.begin(IT, waitAfter(this.#failures, chance), now);
  }
}
