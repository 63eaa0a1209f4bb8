import type { Ms } from '../../values/time.ts';
import { NO_KEY } from '../../values/secret.ts';
import type { Timer } from '../../platform/runtime.port.ts';
import type { AuditKeys } from '../../platform/keys/server-keys.port.ts';
import type { StoreHealth } from '../ports/store.port.ts';
import { type Command, runRead, type Read, type StepResult } from '../sql/statement.ts';
import { UnderWay } from '../sql/under-way.ts';
import type { SqlEngine } from '../sql/engine.ts';
import { runUnits, type TouchingUnit } from './commands/batch.ts';
import type { Deadline } from './connections/deadline.ts';
import type { PostgresPool } from './connections/postgres-pool.ts';
import { ReadBatches } from './commands/read-batches.ts';
import { isSetName } from './sets.ts';
import { callsFor } from './commands/step-calls.ts';
import { WriteQueue } from './commands/write-queue.ts';

export interface PostgresEngineOptions {
  readonly pool: PostgresPool;
  readonly auditKeys: AuditKeys;
  readonly maxBatch: number;
  readonly maxQueue: number;
  /** How long a write may wait before it is sent. */
  readonly deadlineMs: Ms;
  readonly timer: Timer;
  readonly onBegin: () => (units: number) => void;
}

/** Batches of new rows that are under way at once. */
const INSERT_LANES = 2;
/** All transactions with an audit row wait for each other at the end of the log. */
const CHANGE_LANES = 2;

/** A database that several instances share. */
export class PostgresEngine implements SqlEngine {
  readonly #pool: PostgresPool;
  readonly #reads: ReadBatches;
  readonly #inserts: WriteQueue;
  readonly #changes: WriteQueue;
  readonly #underWay = new UnderWay();

  constructor({ pool, auditKeys, ...limits }: PostgresEngineOptions) {
    this.#pool = pool;
    this.#reads = new ReadBatches(pool);
    this.#inserts = new WriteQueue({
      ...limits,
      lanes: INSERT_LANES,
      run: (units, deadline) => insertAll(pool, units, deadline),
    });
    this.#changes = new WriteQueue({
      ...limits,
      lanes: CHANGE_LANES,
      run: (units, deadline) =>
        pool.transact((session) => runUnits(session, units, auditKeys()[0] ?? NO_KEY), deadline),
    });
  }

  run<Result>(command: Command<Result>): Promise<Result> {
    const { steps, audit, touches, isPatient } = command;
    const unit = { steps, audit, touches };
    const queue = isInsert(unit) ? this.#inserts : this.#changes;
    return this.#underWay.answer(command, queue.submit(unit, isPatient));
  }

  /** Resolves when the commands that have begun are done. */
  settled(): Promise<void> {
    return this.#underWay.settled();
  }

  read<Result>(read: Read<Result>): Promise<Result> {
    return runRead(read, (select) => this.#reads.rowsOf(select));
  }

  health(): StoreHealth {
    return this.#pool.health();
  }

  recover(): Promise<void> {
    return this.#pool.look();
  }

  async close(): Promise<void> {
    await Promise.all([this.#inserts.close(), this.#changes.close()]);
    await this.#pool.close();
  }
}

/** A new row that concerns nothing that is there: one statement, which needs no transaction. */
function isInsert({ steps, audit, touches }: TouchingUnit): boolean {
  const [first] = steps;
  const isOne = first !== undefined && steps.length === 1;
  return isOne && audit.length === 0 && touches.length === 0 && isSetName(first.statement);
}

async function insertAll(
  pool: PostgresPool,
  units: readonly TouchingUnit[],
  deadline: Deadline,
): Promise<readonly (readonly StepResult[])[]> {
  const [sent] = callsFor(units.flatMap(({ steps }) => steps));
  if (sent === undefined) return [];
  const results = sent.resultsIn(await pool.autocommit(sent.call, deadline));
  return results.map((result) => [result]);
}
