import type { Migration } from '../../sql/migration.ts';

/**
 * What the OpenID Provider keeps, of every kind in one table. The digests are of ids that are
 * secrets; `body` is sealed in a store with a vault.
 */
const RECORDS = `
CREATE TABLE openid_records (
  record_digest text COLLATE "C" PRIMARY KEY,
  model text COLLATE "C" NOT NULL,
  body text COLLATE "C" NOT NULL,
  vault_key text COLLATE "C",
  grant_digest text COLLATE "C",
  handle_digest text COLLATE "C",
  subject text COLLATE "C",
  client text COLLATE "C",
  attempt_id text COLLATE "C",
  expires_at bigint,
  consumed_at bigint
)`;

/** An earlier version knows neither the table nor the column, and may run beside this one. */
export const openidRecords: Migration = {
  name: '0017+openid-records',
  statements: [
    'ALTER TABLE users ADD COLUMN subject text COLLATE "C"',
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
