import type { Migration } from '../../sql/migration.ts';

/**
 * When a client is to be told of an ended sign-in. No record has a handle any more: its column stays,
 * because an earlier version writes it.
 */
export const dueEnds: Migration = {
  name: '0021+due-ends',
  statements: [
    'ALTER TABLE openid_records ADD COLUMN due_at bigint',
    'DROP INDEX openid_records_by_handle',
    `
CREATE INDEX openid_records_due ON openid_records (client, due_at) WHERE due_at IS NOT NULL`,
  ],
};
