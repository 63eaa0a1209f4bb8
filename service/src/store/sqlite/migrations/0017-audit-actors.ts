import type { Migration } from '../../sql/migration.ts';

/**
 * Who has done what a row tells, and why. No addition: an earlier version makes and checks the hash of
 * a row without them, so it would call each row that has them changed.
 */
export const auditActors: Migration = {
  name: '0017-audit-actors',
  statements: [
    'ALTER TABLE audit_log ADD COLUMN actor TEXT',
    'ALTER TABLE audit_log ADD COLUMN reason TEXT',
  ],
};
