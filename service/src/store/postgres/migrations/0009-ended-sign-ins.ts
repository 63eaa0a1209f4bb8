import type { Migration } from '../../sql/migration.ts';

/**
 * When an operator last ended the sign-ins of a person; null for never. Attempts that began before
 * are refused when they turn out to be theirs. An earlier version does not look at it.
 */
export const endedSignIns: Migration = {
  name: '0009+ended-sign-ins',
  statements: ['ALTER TABLE users ADD COLUMN sign_ins_ended_at bigint'],
};
