import type { Migration } from '../../sql/migration.ts';

/** Tokens of the provider whose key is not known yet, sealed. */
export const keptTokens: Migration = {
  name: '0013+kept-tokens',
  statements: [
    'ALTER TABLE provider_transactions ADD COLUMN kept_tokens TEXT',
    `
CREATE INDEX transactions_with_kept_tokens ON provider_transactions (attempt_id)
  WHERE kept_tokens IS NOT NULL`,
  ],
};
