import type { Migration } from '../../sql/migration.ts';

/** For the last row that gives up rows before it: queries/audit-cut.ts. */
export const givenUpRows: Migration = {
  name: '0015+given-up-rows',
  statements: [
    `
CREATE INDEX audit_log_of_given_up ON audit_log (sequence)
WHERE action = 'people.forgotten'`,
  ],
};
