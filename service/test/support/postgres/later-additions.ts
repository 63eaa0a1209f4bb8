import type { Migration } from '../../../src/store/sql/migration.ts';

/** What a later version may add while instances of this one run: nothing that they have to know. */
export const LATER_ADDITIONS: readonly Migration[] = [
  {
    name: '9997+later',
    statements: ['CREATE TABLE later (id bigint PRIMARY KEY, note text COLLATE "C" NOT NULL)'],
  },
  {
    name: '9998+later',
    statements: [
      'ALTER TABLE attempts ADD COLUMN later text COLLATE "C"',
      'ALTER TABLE users ADD COLUMN later bigint',
      'ALTER TABLE openid_records ADD COLUMN later text COLLATE "C"',
      'CREATE INDEX attempts_later ON attempts (client, created_at)',
    ],
  },
];
