import { Refusal } from '../../domain/errors/refusal.ts';
import { isDiskFull, isResult, RESULT } from './result-codes.ts';
import { isSpaceProbe } from './space-probe.ts';
import type { BatchReply, SqlFault, UnitReply } from './worker-protocol.ts';
import type { StepResult, Unit } from '../statement.ts';
import { StatementError } from '../store-fault.ts';

const RETRY_AFTER_SECONDS = 1;

export interface BatchRunner {
  /** One transaction. Rejects when nobody will ever know what has become of it. */
  run(units: readonly Unit[]): Promise<BatchReply>;
  /** Resolves with the reason when nothing can be run any more, between two batches too. */
  readonly broken: Promise<string>;
}

export interface GroupCommitOptions {
  /** Units in one transaction; with 1 every unit pays for a flush of the disk of its own. */
  readonly maxBatch: number;
  /** Units that may wait; the next one is refused, so that a slow disk does not fill the memory. */
  readonly maxQueue: number;
  readonly onCommit: (units: number) => void;
  readonly onPoisoned: (reason: string) => void;
}

interface Waiting {
  readonly unit: Unit;
  readonly resolve: (results: readonly StepResult[]) => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Group commit: what arrives while one transaction is on its way to the disk goes into the next, so
 * that many requests share one flush. A unit's promise resolves only after its COMMIT.
 */
export class GroupCommit {
  readonly #runner: BatchRunner;
  readonly #options: GroupCommitOptions;
  #queue: Waiting[] = [];
  #isBusy = false;
  #isClosed = false;
  #poison: string | null = null;
  #lack: string | null = null;
  #whenIdle: () => void = () => undefined;

  constructor(runner: BatchRunner, options: GroupCommitOptions) {
    this.#runner = runner;
    this.#options = options;
    void runner.broken.then((reason) => this.poisonWith(reason));
  }

  /** Why nothing can be written any more, or null. */
  get poison(): string | null {
    return this.#poison;
  }

  /** Of space, in words, or null. Writes are still tried; only the trial write ends it. */
  get lack(): string | null {
    return this.#lack;
  }

  /** @throws Refusal by rejection; StatementError when the database refuses this unit alone. */
  submit(unit: Unit): Promise<readonly StepResult[]> {
    if (this.#poison !== null || this.#isClosed) return Promise.reject(unavailable(this.#poison));
    if (this.#queue.length >= this.#options.maxQueue) {
      const retryAfterSeconds = RETRY_AFTER_SECONDS;
      return Promise.reject(new Refusal('server.overloaded', { retryAfterSeconds }));
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ unit, resolve, reject });
      if (!this.#isBusy) this.#sendAtEndOfTurn();
    });
  }

  /** After a disk error no later success proves anything: the store stays shut until a restart. */
  poisonWith(reason: string): void {
    if (this.#poison !== null) return;
    this.#poison = reason;
    for (const waiting of this.#queue.splice(0)) waiting.reject(unavailable(reason));
    this.#options.onPoisoned(reason);
  }

  /** Refuses what comes after, and resolves when all that came before has been answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isBusy) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  #sendAtEndOfTurn(): void {
    this.#isBusy = true;
    queueMicrotask(() => void this.#sendNext());
  }

  async #sendNext(): Promise<void> {
    const batch = this.#queue.splice(0, this.#options.maxBatch);
    if (batch.length === 0) {
      this.#isBusy = false;
      this.#whenIdle();
      return;
    }
    const settle = await this.#runBatch(batch);
    // The next batch is on its way to the disk while the answers of this one are being made.
    void this.#sendNext();
    settle();
  }

  async #runBatch(batch: readonly Waiting[]): Promise<() => void> {
    try {
      const reply = await this.#runner.run(batch.map(({ unit }) => unit));
      return this.#settlementOf(batch, reply);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return this.#settlementOf(batch, {
        outcome: 'unknown',
        fault: { code: null, message },
        undone: false,
      });
    }
  }

  #settlementOf(batch: readonly Waiting[], reply: BatchReply): () => void {
    if (reply.outcome === 'committed') {
      this.#options.onCommit(batch.length);
      if (batch.some(({ unit }) => isSpaceProbe(unit))) this.#lack = null;
      return () => answerEach(batch, reply.units);
    }
    const { outcome, fault } = reply;
    if (isDiskFull(fault.code)) this.#lack = `there is no space to write: ${fault.message}`;
    if (!isPassing(reply)) this.poisonWith(fault.message);
    const refusal = outcome === 'unknown' ? outcomeUnknown(fault) : unavailable(fault.message);
    return () => {
      for (const waiting of batch) waiting.reject(refusal);
    };
  }
}

function answerEach(batch: readonly Waiting[], replies: readonly UnitReply[]): void {
  for (const [index, waiting] of batch.entries()) {
    const reply = replies[index] ?? { fault: { code: null, message: 'no reply' } };
    if ('results' in reply) waiting.resolve(reply.results);
    else waiting.reject(new StatementError(reply.fault.message));
  }
}

/** Goes away by itself: space returns, another program gives the file free. */
function isPassing(reply: Exclude<BatchReply, { outcome: 'committed' }>): boolean {
  const { code } = reply.fault;
  if (reply.outcome === 'unknown') return reply.undone && isDiskFull(code);
  return isDiskFull(code) || isResult(code, RESULT.busy, RESULT.locked, RESULT.noMemory);
}

function unavailable(reason: string | null): Refusal {
  const cause = new Error(reason ?? 'the store is closed');
  return new Refusal('storage.unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

function outcomeUnknown({ message }: SqlFault): Refusal {
  return new Refusal('storage.outcome_unknown', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: new Error(message),
  });
}
