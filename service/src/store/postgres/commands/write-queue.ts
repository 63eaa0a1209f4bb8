import { Refusal } from '../../../errors/refusal.ts';
import type { Ms } from '../../../values/time.ts';
import type { Timer } from '../../../platform/runtime.port.ts';
import { Patience } from '../../sql/patience.ts';
import { type StepResult, mayShareBatch } from '../../sql/statement.ts';
import { StatementError } from '../../store-fault.ts';
import type { TouchingUnit } from './batch.ts';
import { Deadline } from '../connections/deadline.ts';
import { overloaded, unavailable } from '../faults.ts';

interface Waiting {
  readonly unit: TouchingUnit;
  readonly isPatient: boolean;
  readonly resolve: (results: readonly StepResult[]) => void;
  readonly reject: (reason: unknown) => void;
  /** Of the batch that the unit is in; null while it waits. */
  deadline: Deadline | null;
  stopTimer: () => void;
}

/** The part of its time that a unit may wait. The rest is for its batch, which others share. */
const WAITING_SHARE = 0.8;

export interface WriteQueueOptions {
  /** Commits all units or none, within the deadline. */
  readonly run: (
    units: readonly TouchingUnit[],
    deadline: Deadline,
  ) => Promise<readonly (readonly StepResult[])[]>;
  /** The most units that share a commit. */
  readonly maxBatch: number;
  /** The most waiting units; further ones are refused. */
  readonly maxQueue: number;
  /**
   * How long a unit may take, with its waiting. When most of this time is over and it still waits,
   * it is refused, and was certainly not done.
   */
  readonly deadlineMs: Ms;
  readonly timer: Timer;
  /** Batches that are under way at once. */
  readonly lanes: number;
  /**
   * Called when a batch begins. What it returns is called when that batch was committed, with the
   * number of its units.
   */
  readonly onBegin: () => (units: number) => void;
}

/**
 * Units that arrive while a batch is under way go into the next one, so that many requests share
 * one commit. Of units that touch the same thing one is under way at a time, in their order. What
 * touches everything is alone, and nothing overtakes it.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  readonly #patience: Patience;
  readonly #touched = new Set<string>();
  #waiting: Waiting[] = [];
  #underWay = 0;
  #isEverythingTouched = false;
  /** Resolves when all is answered; null until the queue is closed. */
  #closed: PromiseWithResolvers<void> | null = null;
  #isSendingSoon = false;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.#patience = new Patience(options.timer, () => this.#send());
  }

  /** @throws Refusal, StatementError by rejection */
  submit(unit: TouchingUnit, isPatient = false): Promise<readonly StepResult[]> {
    if (this.#closed !== null) return Promise.reject(new Refusal('storage.unavailable'));
    if (this.#waiting.length >= this.#options.maxQueue) {
      return Promise.reject(overloaded('too many writes wait for the database'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push(this.#withLimit({ unit, isPatient, resolve, reject }));
      this.#sendSoon();
    });
  }

  /** While the database stalls, nobody waits for all who came before. */
  #withLimit(submitted: Omit<Waiting, 'deadline' | 'stopTimer'>): Waiting {
    const { timer, deadlineMs } = this.#options;
    const waitMs = deadlineMs * WAITING_SHARE;
    const endBatch = () => waiting.deadline?.pass();
    const stopTimer = timer.after(waitMs, () => {
      if (waiting.deadline === null) this.#refuse(waiting);
      else waiting.stopTimer = timer.after(deadlineMs - waitMs, endBatch);
    });
    const waiting: Waiting = { ...submitted, deadline: null, stopTimer };
    return waiting;
  }

  #refuse(late: Waiting): void {
    this.#waiting = this.#waiting.filter((one) => one !== late);
    late.reject(unavailable('the database takes too long for the writes before this one'));
    this.#settleIfIdle();
  }

  /** Refuses new units, and resolves when all earlier ones have been answered. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers();
    this.#patience.close();
    this.#settleIfIdle();
    return this.#closed.promise;
  }

  #settleIfIdle(): void {
    if (this.#isIdle) this.#closed?.resolve();
  }

  get #isIdle(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0;
  }

  /** At the end of the turn, so that what is submitted in one turn shares a batch. */
  #sendSoon(): void {
    if (this.#isSendingSoon) return;
    this.#isSendingSoon = true;
    queueMicrotask(() => {
      this.#isSendingSoon = false;
      this.#send();
    });
  }

  #send(): void {
    while (this.#underWay < this.#options.lanes && !this.#patience.holds(this.#waiting)) {
      const batch = this.#takeBatch();
      if (batch.length === 0) return;
      this.#patience.noteSent(batch);
      this.#underWay += 1;
      void this.#settle(batch).finally(() => this.#end(batch));
    }
  }

  #end(batch: readonly Waiting[]): void {
    this.#underWay -= 1;
    this.#patience.noteSettled(batch);
    this.#isEverythingTouched = false;
    for (const one of batch) one.stopTimer();
    for (const name of batch.flatMap(({ unit }) => namesOf(unit))) this.#touched.delete(name);
    this.#send();
    this.#settleIfIdle();
  }

  /** The next units that may run now, in their order. */
  #takeBatch(): Waiting[] {
    if (this.#isEverythingTouched) return [];
    if (this.#waiting[0]?.unit.touches === 'everything') return this.#takeAlone();
    const blocked = new Set(this.#touched);
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    for (const [index, one] of this.#waiting.entries()) {
      if (one.unit.touches === 'everything' || batch.length === this.#options.maxBatch) {
        left.push(...this.#waiting.slice(index));
        break;
      }
      const names = namesOf(one.unit);
      const isFree = names.every((name) => !blocked.has(name));
      (isFree ? batch : left).push(one);
      for (const name of names) if (!isFree || !mayShareBatch(name)) blocked.add(name);
    }
    this.#waiting = left;
    for (const name of batch.flatMap(({ unit }) => namesOf(unit))) this.#touched.add(name);
    return batch;
  }

  #takeAlone(): Waiting[] {
    if (this.#underWay > 0) return [];
    this.#isEverythingTouched = true;
    return this.#waiting.splice(0, 1);
  }

  async #settle(batch: readonly Waiting[]): Promise<void> {
    const { timer, deadlineMs, onBegin, run } = this.#options;
    const deadline = new Deadline(timer, deadlineMs);
    for (const waiting of batch) waiting.deadline = deadline;
    try {
      const onCommit = onBegin();
      const results = await run(
        batch.map(({ unit }) => unit),
        deadline,
      );
      onCommit(batch.length);
      for (const [index, waiting] of batch.entries()) waiting.resolve(results[index] ?? []);
    } catch (error) {
      // The database refused one of the units, and it does not say which.
      if (error instanceof StatementError && batch.length > 1) await this.#settleHalves(batch);
      else for (const waiting of batch) waiting.reject(error);
    } finally {
      deadline.clear();
    }
  }

  /** Finds one bad unit of n with about 2 log n transactions, instead of n. */
  async #settleHalves(batch: readonly Waiting[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    await this.#settle(batch.slice(0, middle));
    await this.#settle(batch.slice(middle));
  }
}

function namesOf({ touches }: TouchingUnit): readonly string[] {
  return touches === 'everything' ? [] : touches;
}
