import type { Statement } from '../statement.ts';
import { apiTokenQueries } from './api-tokens.ts';
import { auditQueries } from './audit.ts';
import { auditCheckQueries } from './audit-check.ts';
import { auditCutQueries } from './audit-cut.ts';
import { attemptQueries } from './attempts.ts';
import { callQueries } from './calls.ts';
import { deliveryQueries } from './deliveries.ts';
import { lostPeopleQueries } from './lost-people.ts';
import { openidQueries } from './openid.ts';
import { outboxQueries } from './outbox.ts';
import { overdueQueries } from './overdue.ts';
import { trimQueries } from './trim.ts';
import { personalDataQueries } from './personal-data.ts';
import type { Dialect, Prepared } from './prepare.ts';
import { pushQueries } from './pushes.ts';
import { recoveryQueries } from './recovery.ts';
import { revocationQueries } from './revocation.ts';
import { storeSealQueries } from './store-seal.ts';
import { storeMarkQueries } from './store-marks.ts';
import { transactionQueries } from './transactions.ts';
import { userQueries } from './users.ts';

/** Every statement of the store in one dialect. */
export function compileFor(dialect: Dialect) {
  return {
    ...attemptQueries(dialect),
    ...userQueries(dialect),
    ...apiTokenQueries(dialect),
    ...transactionQueries(dialect),
    ...pushQueries(dialect),
    ...openidQueries(dialect),
    ...storeSealQueries(dialect),
    ...revocationQueries(dialect),
    ...outboxQueries(dialect),
    ...deliveryQueries(dialect),
    ...overdueQueries(dialect),
    ...auditQueries(dialect),
    ...auditCheckQueries(dialect),
    ...auditCutQueries(dialect),
    ...storeMarkQueries(dialect),
    ...callQueries(dialect),
    ...lostPeopleQueries(dialect),
    ...recoveryQueries(dialect),
    ...trimQueries(dialect),
    ...personalDataQueries(dialect),
  };
}

type AllQueries = ReturnType<typeof compileFor>;

export type Statements = {
  readonly [Name in keyof AllQueries]: AllQueries[Name] extends Prepared<infer Values>
    ? Statement<Values>
    : never;
};
