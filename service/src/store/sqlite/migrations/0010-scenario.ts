import type { Migration } from '../../sql/migration.ts';

/** What a test has chosen for an attempt of simulator mode; null in live mode. */
export const scenario: Migration = {
  name: '0010-scenario',
  statements: ['ALTER TABLE attempts ADD COLUMN scenario TEXT'],
};
