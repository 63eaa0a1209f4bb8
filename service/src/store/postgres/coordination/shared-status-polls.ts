import type { AttemptId } from '../../../values/ids.ts';
import { pauseAfter } from '../../../attempt/status/status-poll.ts';
import { HOUR_MS, SECOND_MS, type Ms } from '../../../values/time.ts';
import type { StatusPoll, StatusPolls } from '../../../platform/coordination/coordination.port.ts';
import type { UnsignedResult } from '../../../provider/identity-provider.port.ts';
import type { SqlRow } from '../../sql/statement.ts';
import { PurgeByUse, purgeCall, type SharedDatabase } from './shared-database.ts';

const TABLE = 'shared_status_polls';
/** By the server's clock, after the last question. Longer than any push can be answered. */
const KEEP_SECONDS = HOUR_MS / SECOND_MS;

const BEGIN = `
INSERT INTO ${TABLE} (attempt_id, address, questions, next_at, latest, used_at)
VALUES ($1, $2, 0, 0, 'waiting', clock_timestamp())
ON CONFLICT (attempt_id) DO UPDATE SET
  address = excluded.address, questions = 0, next_at = 0, latest = excluded.latest,
  used_at = excluded.used_at`;

const FIND = `SELECT address, questions, next_at, latest FROM ${TABLE} WHERE attempt_id = $1`;

/** For a push that was forgotten. */
const BEGIN_AGAIN = `
INSERT INTO ${TABLE} (attempt_id, address, questions, next_at, latest, used_at)
VALUES ($1, NULL, 0, 0, 'waiting', clock_timestamp()) ON CONFLICT (attempt_id) DO NOTHING`;

/** Of all who found that the question was due, the first one gets the row. */
const ASK = `
UPDATE ${TABLE} SET questions = questions + 1, next_at = $3, used_at = clock_timestamp()
WHERE attempt_id = $1 AND questions = $2 AND next_at <= $4
RETURNING address, questions, next_at, latest`;

const ANSWER = `UPDATE ${TABLE} SET latest = $3 WHERE attempt_id = $1 AND questions = $2`;

interface Push {
  readonly address: string | null;
  readonly questions: number;
  readonly nextAt: Ms;
  readonly latest: UnsignedResult;
}

/** A row for each push that is asked about. A claim that is not due writes nothing. */
export class SharedStatusPolls implements StatusPolls {
  readonly #database: SharedDatabase;
  readonly #purge: PurgeByUse;

  constructor(database: SharedDatabase) {
    this.#database = database;
    const call = purgeCall(TABLE, 'attempt_id', 'used_at', KEEP_SECONDS);
    this.#purge = new PurgeByUse(database, call);
  }

  async begin(attemptId: AttemptId, address: string | null): Promise<void> {
    await this.#database.write('begin polls', BEGIN, [attemptId, address]);
    this.#purge.note(1);
  }

  async claim(attemptId: AttemptId, now: Ms): Promise<StatusPoll> {
    const push = (await this.#find(attemptId)) ?? (await this.#beginAgain(attemptId));
    if (now < push.nextAt) return pollOf(push, false);
    const nextAt = now + pauseAfter(push.questions + 1);
    const values = [attemptId, push.questions, nextAt, now];
    const [row] = (await this.#database.write('ask', ASK, values)).rows;
    if (row !== undefined) return pollOf(pushIn(row), true);
    // Another claim was first.
    return pollOf((await this.#find(attemptId)) ?? push, false);
  }

  async answer(attemptId: AttemptId, question: number, result: UnsignedResult): Promise<void> {
    await this.#database.write('answer', ANSWER, [attemptId, question, result]);
  }

  async #find(attemptId: AttemptId): Promise<Push | null> {
    const [row] = (await this.#database.read('find polls', FIND, [attemptId])).rows;
    return row === undefined ? null : pushIn(row);
  }

  async #beginAgain(attemptId: AttemptId): Promise<Push> {
    await this.#database.write('begin polls again', BEGIN_AGAIN, [attemptId]);
    this.#purge.note(1);
    return (await this.#find(attemptId)) ?? FORGOTTEN;
  }
}

const FORGOTTEN: Push = { address: null, questions: 0, nextAt: 0, latest: 'waiting' };

function pollOf({ questions: question, latest, address }: Push, isDue: boolean): StatusPoll {
  return { isDue, question, latest, address };
}

function pushIn(row: SqlRow): Push {
  const { address } = row;
  return {
    address: typeof address === 'string' ? address : null,
    questions: Number(row['questions']),
    nextAt: Number(row['next_at']),
    latest: resultIn(String(row['latest'])),
  };
}

function resultIn(text: string): UnsignedResult {
  if (text === 'waiting' || text === 'approved' || text === 'rejected') return text;
  throw new Error('a status poll has an unknown result');
}
