import type { Migration } from '../../sql/migration.ts';

/**
 * SQLite writes its row of the highest user id with the first user. It is written now, so that one
 * statement can raise the id when a backup replaces the store.
 */
export const firstUserId: Migration = {
  name: '0007-first-user-id',
  statements: [
    `
INSERT INTO sqlite_sequence (name, seq)
SELECT 'users', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'users')`,
  ],
};
