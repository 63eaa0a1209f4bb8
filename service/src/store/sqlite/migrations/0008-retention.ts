import type { Migration } from '../../sql/migration.ts';

/** For removing calls by age and number. */
export const retention: Migration = {
  name: '0008-retention',
  statements: ['CREATE INDEX provider_calls_by_time ON provider_calls (at)'],
};
