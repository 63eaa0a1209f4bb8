import type { Statement } from '../statement.ts';
import { apiTokenQueries } from './api-tokens.ts';
import { auditQueries } from './audit.ts';
import { auditCheckQueries } from './audit-check.ts';
import { auditCutQueries } from './audit-cut.ts';
import { attemptQueries } from './attempts.ts';
import { callQueries } from './calls.ts';
import { lostPeopleQueries } from './lost-people.ts';
import { operatorQueries } from './operator.ts';
import { sqliteQueries, type Prepared, type Queries } from './prepare.ts';
import { pushQueries } from './pushes.ts';
import { recoveryQueries } from './recovery.ts';
import { transactionQueries } from './transactions.ts';
import { userQueries } from './users.ts';

/** Every statement of the store, from queries in the SQL dialect of `db`. */
function allQueries(db: Queries) {
  return {
    ...attemptQueries(db),
    ...userQueries(db),
    ...apiTokenQueries(db),
    ...transactionQueries(db),
    ...pushQueries(db),
    ...operatorQueries(db),
    ...auditQueries(db),
    ...auditCheckQueries(db),
    ...auditCutQueries(db),
    ...callQueries(db),
    ...lostPeopleQueries(db),
    ...recoveryQueries(db),
  };
}

type AllQueries = ReturnType<typeof allQueries>;

export type Statements = {
  readonly [Name in keyof AllQueries]: AllQueries[Name] extends Prepared<infer Values>
    ? Statement<Values>
    : never;
};

export function compileForSqlite(): AllQueries {
  return allQueries(sqliteQueries());
}
