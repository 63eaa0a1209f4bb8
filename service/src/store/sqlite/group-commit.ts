import { Refusal } from '../../errors/refusal.ts';
import type { Timer } from '../../platform/runtime.port.ts';
import { Patience } from '../sql/patience.ts';
import type { StepResult, Unit } from '../sql/statement.ts';
import { StatementError } from '../store-fault.ts';
import { isDiskFull, isResult, RESULT } from './thread/result-codes.ts';
import { isSpaceProbe } from './thread/sqlite-connection.ts';
import { outcomeUnknown, RETRY_AFTER_SECONDS, unavailable } from './sqlite-faults.ts';
import type { BatchReply, UnitReply } from './thread/worker-protocol.ts';

const MAX_BATCH = 256;
const MAX_QUEUE = 4096;
/** There is one a second. With fewer, whoever looks at readiness would see it come and go. */
const TRIALS_IN_A_ROW = 3;

export interface BatchRunner {
  /** Runs the units in one transaction. Rejects when its result can never be known. */
  run(units: readonly Unit[]): Promise<BatchReply>;
  /** Resolves with the reason when no batch can be run any more; also between two batches. */
  readonly broken: Promise<string>;
}

export interface GroupCommitOptions {
  /** The most units per transaction; with 1 every unit needs its own disk flush. */
  readonly maxBatch?: number;
  /**
   * The most waiting units; further ones are refused, so that a slow disk does not fill the memory.
   */
  readonly maxQueue?: number;
  /**
   * Called when a transaction is handed to the writing thread. What it returns is called when that
   * transaction was committed, with the number of its units.
   */
  readonly onBegin?: () => (units: number) => void;
  readonly onPoisoned: (reason: string) => void;
  /** Without one, patient units are like the others. */
  readonly timer?: Timer;
}

interface Waiting {
  readonly unit: Unit;
  readonly isPatient: boolean;
  readonly resolve: (results: readonly StepResult[]) => void;
  readonly reject: (reason: Error) => void;
}

/**
 * Group commit: units that arrive while one transaction is being written go into the next one, so
 * that many requests share one disk flush. A unit's promise resolves only after its COMMIT.
 */
export class GroupCommit {
  readonly #runner: BatchRunner;
  readonly #options: Required<Omit<GroupCommitOptions, 'timer'>>;
  readonly #patience: Patience;
  #queue: Waiting[] = [];
  #isBusy = false;
  #isClosed = false;
  #poison: string | null = null;
  #lack: string | null = null;
  /** Test writes that succeeded since the last write without space. */
  #trials = 0;
  #hold: string | null = null;
  #whenIdle: () => void = () => undefined;

  constructor(runner: BatchRunner, options: GroupCommitOptions) {
    this.#runner = runner;
    const { maxBatch = MAX_BATCH, maxQueue = MAX_QUEUE, onPoisoned } = options;
    const { onBegin = () => () => undefined } = options;
    this.#options = { maxBatch, maxQueue, onBegin, onPoisoned };
    this.#patience = new Patience(options.timer ?? null, () => this.#begin());
    void runner.broken.then((reason) => this.poisonWith(reason));
  }

  /** Why nothing can be written any more, or null. */
  get poison(): string | null {
    return this.#poison;
  }

  /**
   * The lack of space as a text, or null. Writes are still tried; only several successful test
   * writes in a row end it.
   */
  get lack(): string | null {
    return this.#lack;
  }

  /** That another program did not let the last batch write, as a text, or null. */
  get hold(): string | null {
    return this.#hold;
  }

  /** @throws Refusal by rejection; StatementError when the database refuses this unit alone. */
  submit(unit: Unit, isPatient = false): Promise<readonly StepResult[]> {
    if (this.#poison !== null || this.#isClosed) return Promise.reject(unavailable(this.#poison));
    if (this.#queue.length >= this.#options.maxQueue) {
      const retryAfterSeconds = RETRY_AFTER_SECONDS;
      return Promise.reject(new Refusal('server.overloaded', { retryAfterSeconds }));
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ unit, isPatient, resolve, reject });
      this.#begin();
    });
  }

  /**
   * After a disk error a later success proves nothing, so all writes are refused until a restart.
   */
  poisonWith(reason: string): void {
    if (this.#poison !== null) return;
    this.#poison = reason;
    for (const waiting of this.#queue.splice(0)) waiting.reject(unavailable(reason));
    this.#options.onPoisoned(reason);
  }

  /** Refuses new units, and resolves when all earlier ones have been answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#patience.close();
    if (this.#isBusy) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  /** At the end of the turn, so that what is submitted in one turn shares a batch. */
  #begin(): void {
    if (this.#isBusy || this.#mayRest) return;
    this.#isBusy = true;
    queueMicrotask(() => void this.#sendNext());
  }

  get #mayRest(): boolean {
    return this.#queue.length === 0 || this.#patience.holds(this.#queue);
  }

  async #sendNext(): Promise<void> {
    if (this.#mayRest) {
      this.#isBusy = false;
      this.#whenIdle();
      return;
    }
    const batch = this.#queue.splice(0, this.#options.maxBatch);
    this.#patience.noteSent(batch);
    const settle = await this.#runBatch(batch);
    this.#patience.noteSettled(batch);
    // The next batch is written to the disk while the answers of this one are prepared.
    void this.#sendNext();
    settle();
  }

  async #runBatch(batch: readonly Waiting[]): Promise<() => void> {
    const onCommit = this.#options.onBegin();
    try {
      const reply = await this.#runner.run(batch.map(({ unit }) => unit));
      if (reply.outcome === 'committed') onCommit(batch.length);
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

  #noteTrial(): void {
    this.#trials += 1;
    if (this.#trials >= TRIALS_IN_A_ROW) this.#lack = null;
  }

  #settlementOf(batch: readonly Waiting[], reply: BatchReply): () => void {
    this.#hold = isHeld(reply) ? `another program holds the file: ${reply.fault.message}` : null;
    if (reply.outcome === 'committed') {
      if (batch.some(({ unit }) => isSpaceProbe(unit))) this.#noteTrial();
      return () => answerEach(batch, reply.units);
    }
    const { outcome, fault } = reply;
    if (isDiskFull(fault.code)) {
      this.#lack = `there is no space to write: ${fault.message}`;
      this.#trials = 0;
    }
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

/** Faults that end by themselves: space is freed, or another program releases the file. */
function isPassing(reply: Exclude<BatchReply, { outcome: 'committed' }>): boolean {
  const { code } = reply.fault;
  if (reply.outcome === 'unknown') return reply.undone && isDiskFull(code);
  return isDiskFull(code) || isHeld(reply) || isResult(code, RESULT.noMemory);
}

function isHeld(reply: BatchReply): reply is Exclude<BatchReply, { outcome: 'committed' }> {
  return reply.outcome !== 'committed' && isResult(reply.fault.code, RESULT.busy, RESULT.locked);
}
