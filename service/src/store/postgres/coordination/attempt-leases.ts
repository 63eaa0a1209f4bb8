import type { AttemptId } from '../../../values/ids.ts';
import { Refusal } from '../../../errors/refusal.ts';
import { SECOND_MS, type Ms } from '../../../values/time.ts';
import type { AttemptLock } from '../../../platform/coordination/coordination.port.ts';
import type { Timer } from '../../../platform/runtime.port.ts';
import { overloaded } from '../faults.ts';
import { PurgeByUse, purgeCall, type SharedDatabase } from './shared-database.ts';

export interface AttemptLeasesOptions {
  readonly database: SharedDatabase;
  /** Keeps the order of the work on this instance: only the first in its line asks the database. */
  readonly own: AttemptLock;
  /** Unlike that of every other instance. */
  readonly instance: string;
  readonly timer: Timer;
  /** A number from 0 to 1, each time another one. */
  readonly jitter: () => number;
  readonly leaseMs: Ms;
  /** How long work waits for other instances before it is refused. */
  readonly waitMs: Ms;
}

const TABLE = 'shared_attempt_leases';
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;
const KEEP_SECONDS = 60;

/** Takes the lease if nobody has it, or if it is over by the server's clock. */
const TAKE = `
INSERT INTO ${TABLE} AS lease (attempt_id, holder, ends_at)
VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
ON CONFLICT (attempt_id) DO UPDATE
SET holder = excluded.holder, ends_at = clock_timestamp() + make_interval(secs => $3)
WHERE lease.ends_at <= clock_timestamp()
RETURNING holder`;

/** Only the own lease: after its end another instance may have one. */
const GIVE_BACK = `DELETE FROM ${TABLE} WHERE attempt_id = $1 AND holder = $2`;

const FIND_HOLDER = `
SELECT holder FROM ${TABLE} WHERE attempt_id = $1 AND ends_at > clock_timestamp()`;

/**
 * A row for each attempt in work, with the time at which it no longer counts. The time is the
 * server's alone, so the clocks of the instances do not matter. No connection is held while the
 * work runs.
 */
export class AttemptLeases implements AttemptLock {
  readonly #options: AttemptLeasesOptions;
  readonly #purge: PurgeByUse;
  #taken = 0;

  constructor(options: AttemptLeasesOptions) {
    this.#options = options;
    const call = purgeCall(TABLE, 'attempt_id', 'ends_at', KEEP_SECONDS);
    this.#purge = new PurgeByUse(options.database, call);
  }

  run<Result>(name: string, work: () => Promise<Result>, longestMs?: Ms): Promise<Result> {
    return this.#options.own.run(name, async () => {
      const holder = await this.#take(name, longestMs);
      try {
        return await work();
      } finally {
        await this.#giveBack(name, holder);
      }
    });
  }

  async settled(attemptId: AttemptId): Promise<void> {
    const others = this.#othersEnd(attemptId);
    await Promise.all([this.#options.own.settled(attemptId), others]);
  }

  async #take(name: string, longestMs: Ms = Infinity): Promise<string> {
    const { database, instance } = this.#options;
    const leaseMs = Math.min(this.#options.leaseMs, longestMs);
    this.#taken += 1;
    const holder = `${instance}:${this.#taken}`;
    const values = [name, holder, leaseMs / SECOND_MS];
    try {
      await this.#until(async () => (await database.write('take', TAKE, values)).rows.length > 0);
    } catch (error) {
      // The lease may have been taken, although no answer has come.
      if (!isOverloaded(error)) void this.#giveBack(name, holder);
      throw error;
    }
    this.#purge.note(1);
    return holder;
  }

  /** The work is done and its result stands. A lease that can't be given back ends by itself. */
  async #giveBack(name: string, holder: string): Promise<void> {
    const values = [name, holder];
    await this.#options.database.write('give back', GIVE_BACK, values).catch(() => undefined);
  }

  /** What another instance had under way at the first look has ended. */
  async #othersEnd(attemptId: AttemptId): Promise<void> {
    const first = await this.#holderOf(attemptId);
    if (first === null || first.startsWith(`${this.#options.instance}:`)) return;
    await this.#until(async () => (await this.#holderOf(attemptId)) !== first);
  }

  async #holderOf(attemptId: AttemptId): Promise<string | null> {
    const { database } = this.#options;
    const [row] = (await database.read('find holder', FIND_HOLDER, [attemptId])).rows;
    return row === undefined ? null : String(row['holder']);
  }

  /** Asks again and again, in pauses that grow. @throws Refusal `server.overloaded` */
  async #until(isDone: () => Promise<boolean>): Promise<void> {
    const { timer, waitMs, jitter } = this.#options;
    let isOver = false;
    const stopWaiting = timer.after(waitMs, () => (isOver = true));
    try {
      for (let pause = FIRST_PAUSE_MS; !(await isDone()); pause *= 1.5) {
        if (isOver) throw overloaded('another instance has been at work on the attempt for long');
        // Those that wait for one attempt do not all ask at the same moment.
        const ms = Math.min(pause, LONGEST_PAUSE_MS) * (0.5 + jitter() / 2);
        await new Promise<void>((resolve) => void timer.after(ms, resolve));
      }
    } finally {
      stopWaiting();
    }
  }
}

function isOverloaded(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'server.overloaded';
}
