import type { Migration } from './migration.ts';

/**
 * For the pages of a person's devices: those that are not revoked stand beside each other, in the
 * order of the pages. It serves the reference to `users` as well, so it has the revoked ones too.
 */
export const devicePages: Migration = {
  name: '0005-device-pages',
  statements: [
    'DROP INDEX api_tokens_of_user',
    'CREATE INDEX api_tokens_of_user ON api_tokens (user_id, client, revoked_at, token_id)',
  ],
};
