import type { Migration } from '../../sql/migration.ts';

/**
 * For removing calls by age and number. No index of attempts by user: plans are kept that were made
 * while the tables were small, and one that reads all attempts of a user in the place of one by its
 * id would be among them. Only commands look for the attempts of a user.
 */
export const retention: Migration = {
  name: '0005-retention',
  statements: ['CREATE INDEX provider_calls_by_time ON provider_calls (at)'],
};
