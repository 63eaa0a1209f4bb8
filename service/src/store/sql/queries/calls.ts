import { CALLS_KEPT } from '../../../domain/provider-call.ts';
import { sql } from 'kysely';
import type { CallRow } from '../schema.ts';
import { prepare, type Bind, type Queries } from './prepare.ts';

type InsertValues = Omit<CallRow, 'call_id'>;

interface OneAttempt {
  readonly attempt_id: string;
}

export function callQueries(db: Queries) {
  return {
    insertCall: insertCall(db),
    deleteOldCalls: deleteOldCalls(db),
    selectCalls: prepare((bind: Bind<OneAttempt>) =>
      db
        .selectFrom('provider_calls')
        .selectAll()
        .where('attempt_id', '=', bind('attempt_id'))
        .orderBy('call_id'),
    ),
  };
}

/** Only for an existing attempt: a call may end after its attempt was purged. */
function insertCall(db: Queries) {
  return prepare((bind: Bind<InsertValues>) =>
    db
      .insertInto('provider_calls')
      .columns(CALL_COLUMNS)
      .expression(
        db
          .selectFrom('attempts')
          .select(CALL_COLUMNS.map((column) => bind(column).as(column)))
          .where('attempt_id', '=', bind('attempt_id')),
      )
      .returning('call_id'),
  );
}

function deleteOldCalls(db: Queries) {
  return prepare((bind: Bind<OneAttempt>) =>
    db
      .deleteFrom('provider_calls')
      .where('attempt_id', '=', bind('attempt_id'))
      .where('call_id', '<=', (old) =>
        old
          .selectFrom('provider_calls')
          .select('call_id')
          .where('attempt_id', '=', bind('attempt_id'))
          .orderBy('call_id', 'desc')
          .limit(sql.lit(1))
          .offset(sql.lit(CALLS_KEPT)),
      ),
  );
}

const CALL_COLUMNS = [
  'attempt_id',
  'at',
  'operation',
  'query',
  'body',
  'status',
  'answer',
  'reference',
  'refusal',
  'duration_ms',
] as const satisfies readonly (keyof InsertValues)[];
