import type { Migration } from '../../sql/migration.ts';

/**
 * Who was erased and is kept out. `identity_digest` is what `users` would have for the person, and
 * `vault_key` says which key it was made with, null for none.
 */
const ERASED_PEOPLE = `
CREATE TABLE erased_people (
  identity_digest text COLLATE "C" PRIMARY KEY,
  vault_key text COLLATE "C",
  erased_at bigint NOT NULL
)`;

export const erasedPeople: Migration = {
  name: '0007-erased-people',
  statements: [ERASED_PEOPLE],
};
