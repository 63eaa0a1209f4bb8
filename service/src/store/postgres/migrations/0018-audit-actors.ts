import type { Migration } from '../../sql/migration.ts';

/**
 * Who has done what a row tells, and why. No addition: an earlier version makes and checks the hash of
 * a row without them, so it would call each row that has them changed.
 */
export const auditActors: Migration = {
  name: '0018-audit-actors',
  statements: [
    'ALTER TABLE audit_log ADD COLUMN actor text COLLATE "C"',
    'ALTER TABLE audit_log ADD COLUMN reason text COLLATE "C"',
  ],
};
