import type { Migration } from '../../sql/migration.ts';

/**
 * For listing a person's tokens in pages: tokens that are not revoked are neighbours in the index,
 * in the order of the pages. It also serves the reference to `users`, so it includes revoked
 * tokens.
 */
export const devicePages: Migration = {
  name: '0005-device-pages',
  statements: [
    'DROP INDEX api_tokens_of_user',
    'CREATE INDEX api_tokens_of_user ON api_tokens (user_id, client, revoked_at, token_id)',
  ],
};
