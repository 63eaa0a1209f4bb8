import type { Migration } from '../../sql/migration.ts';

/**
 * What a test has chosen for an attempt of simulator mode; null in live mode. An earlier version need
 * not know the column, so its instances can run beside those of this one.
 */
export const scenario: Migration = {
  name: '0008+scenario',
  statements: ['ALTER TABLE attempts ADD COLUMN scenario text COLLATE "C"'],
};
