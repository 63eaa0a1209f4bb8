import type { Migration } from '../../sql/migration.ts';

/**
 * `vault_key` is the id of the key that seals the identity columns; null if they are not sealed.
 */
const USERS = `
CREATE TABLE users_rebuilt (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  identity_digest TEXT NOT NULL UNIQUE,
  vault_key TEXT,
  issuer TEXT NOT NULL,
  document_type TEXT NOT NULL,
  document_number TEXT NOT NULL,
  national_id TEXT NOT NULL,
  arabic_name TEXT NOT NULL,
  english_name TEXT NOT NULL,
  email TEXT,
  nationality TEXT NOT NULL,
  gender TEXT NOT NULL,
  assurance_level INTEGER NOT NULL,
  preferred_locale TEXT NOT NULL,
  last_auth_method TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT`;

/**
 * For erasing the identifiers of expired attempts. A sealed value begins with a letter and an
 * unsealed national id with a digit, so in a store without a vault this index is empty.
 */
const ATTEMPTS_WITH_SEALED_IDENTIFIER = `
CREATE INDEX attempts_with_sealed_identifier ON attempts (
  CASE WHEN provider_expires_at < expires_at THEN provider_expires_at ELSE expires_at END
) WHERE national_id > 'v'`;

const PROVIDER_TRANSACTIONS = `
CREATE TABLE provider_transactions (
  attempt_id TEXT PRIMARY KEY REFERENCES attempts (attempt_id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  launch_url TEXT,
  state_digest TEXT UNIQUE,
  nonce TEXT,
  browser_digest TEXT,
  transaction_id TEXT UNIQUE,
  completed_seen_at INTEGER,
  CONSTRAINT redirect_or_push CHECK (
    (
      kind = 'redirect' AND state_digest IS NOT NULL AND nonce IS NOT NULL
      AND transaction_id IS NULL AND completed_seen_at IS NULL
    ) OR (
      kind = 'push' AND transaction_id IS NOT NULL AND launch_url IS NULL
      AND state_digest IS NULL AND nonce IS NULL AND browser_digest IS NULL
    )
  )
) STRICT, WITHOUT ROWID`;

/**
 * A push outlives its attempt and the person's budget, because client and service still count it.
 */
const PUSHES = `
CREATE TABLE pushes (
  push_id INTEGER PRIMARY KEY,
  attempt_id TEXT NOT NULL,
  person_digest TEXT,
  client TEXT NOT NULL,
  admitted_at INTEGER NOT NULL,
  counts_until INTEGER NOT NULL
) STRICT`;

/** SQLite can't drop a UNIQUE constraint, so the table is replaced (sqlite.org/lang_altertable). */
const REBUILD_USERS = [
  USERS,
  `
INSERT INTO users_rebuilt
SELECT id, identity_digest(issuer, document_type, document_number), NULL,
  issuer, document_type, document_number, national_id, arabic_name, english_name, email,
  nationality, gender, assurance_level, preferred_locale, last_auth_method, created_at, updated_at
FROM users`,
  // Moves the counter of used ids to the new table.
  "DELETE FROM sqlite_sequence WHERE name = 'users_rebuilt'",
  "UPDATE sqlite_sequence SET name = 'users_rebuilt' WHERE name = 'users'",
  'DROP TABLE users',
  'ALTER TABLE users_rebuilt RENAME TO users',
  'CREATE INDEX users_by_vault_key ON users (vault_key) WHERE vault_key IS NOT NULL',
];

/**
 * What a remote provider needs: its transactions, the pushes that budgets count, and users whose
 * identity can be sealed. `identity_digest` is an SQL function that migrate.ts defines.
 */
export const liveProvider: Migration = {
  name: '0002-live-provider',
  statements: [
    ...REBUILD_USERS,
    'ALTER TABLE attempts ADD COLUMN return_address TEXT',
    ATTEMPTS_WITH_SEALED_IDENTIFIER,
    PROVIDER_TRANSACTIONS,
    PUSHES,
    `
CREATE INDEX pushes_of_person ON pushes (person_digest, admitted_at)
  WHERE person_digest IS NOT NULL`,
    'CREATE INDEX pushes_of_client ON pushes (client, admitted_at)',
    'CREATE INDEX pushes_by_time ON pushes (admitted_at)',
    'CREATE INDEX pushes_by_end ON pushes (counts_until)',
  ],
};
