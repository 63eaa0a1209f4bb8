import type { Migration } from '../../sql/migration.ts';

/** For the last row that says how far the log can be believed: queries/store-marks.ts. */
export const storeMarks: Migration = {
  name: '0012+store-marks',
  statements: [
    `
CREATE INDEX audit_log_of_store ON audit_log (sequence)
WHERE action IN ('store.restored', 'store.behind')`,
  ],
};
