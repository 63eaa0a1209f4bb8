import type { Migration } from '../../sql/migration.ts';

/**
 * What the OpenID Provider keeps, of every kind in one table. The digests are of ids that are
 * secrets; `body` is sealed in a store with a vault.
 */
const RECORDS = `
CREATE TABLE openid_records (
  record_digest TEXT PRIMARY KEY,
  model TEXT NOT NULL,
  body TEXT NOT NULL,
  vault_key TEXT,
  grant_digest TEXT,
  handle_digest TEXT,
  subject TEXT,
  client TEXT,
  attempt_id TEXT,
  expires_at INTEGER,
  consumed_at INTEGER
) STRICT, WITHOUT ROWID`;

/** An earlier version knows neither the table nor the column, and may run beside this one. */
export const openidRecords: Migration = {
  name: '0016+openid-records',
  statements: [
    'ALTER TABLE users ADD COLUMN subject TEXT',
    `
CREATE INDEX users_by_subject ON users (subject) WHERE subject IS NOT NULL`,
    RECORDS,
    `
CREATE INDEX openid_records_by_grant ON openid_records (grant_digest)
WHERE grant_digest IS NOT NULL`,
    `
CREATE INDEX openid_records_by_handle ON openid_records (handle_digest)
WHERE handle_digest IS NOT NULL`,
    `
CREATE INDEX openid_records_by_attempt ON openid_records (attempt_id)
WHERE attempt_id IS NOT NULL`,
    `
CREATE INDEX openid_records_by_subject ON openid_records (subject) WHERE subject IS NOT NULL`,
    `
CREATE INDEX openid_records_by_expiry ON openid_records (expires_at)
WHERE expires_at IS NOT NULL`,
    `
CREATE INDEX openid_records_by_vault_key ON openid_records (vault_key)
WHERE vault_key IS NOT NULL`,
  ],
};
