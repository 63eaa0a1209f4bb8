import type { Migration } from '../../sql/migration.ts';

/** For removing calls by age and number, and for finding and removing what is of one user. */
export const retention: Migration = {
  name: '0008-retention',
  statements: [
    'CREATE INDEX provider_calls_by_time ON provider_calls (at)',
    'CREATE INDEX attempts_of_user ON attempts (user_id) WHERE user_id IS NOT NULL',
  ],
};
