import { CALLS_KEPT } from '../../../attempt/provider-call.ts';
import { sql } from 'kysely';
import type { CallRow } from '../schema.ts';
import { CALL_COLUMNS } from './columns.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

type InsertValues = Omit<CallRow, 'call_id'>;

interface OneAttempt {
  readonly attempt_id: string;
}

export function callQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    insertCall: insertCall(dialect),
    deleteOldCalls: deleteOldCalls(dialect),
    selectCalls: prepare(dialect, (bind: Bind<OneAttempt>) =>
      db
        .selectFrom('provider_calls')
        .select(['call_id', ...CALL_COLUMNS])
        .where('attempt_id', '=', bind('attempt_id'))
        .orderBy('call_id'),
    ),
  };
}

/** Only for an existing attempt: a call may end after its attempt was purged. */
function insertCall(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<InsertValues>) =>
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

function deleteOldCalls(dialect: Dialect) {
  const { db } = dialect;
  return prepare(dialect, (bind: Bind<OneAttempt>) =>
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
