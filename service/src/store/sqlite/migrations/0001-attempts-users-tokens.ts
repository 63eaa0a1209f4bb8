import type { Migration } from '../../sql/migration.ts';

/** AUTOINCREMENT, so that the number of a deleted user is never given to another person. */
const USERS = `
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
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
  updated_at INTEGER NOT NULL,
  UNIQUE (issuer, document_type, document_number)
) STRICT`;

const ATTEMPTS = `
CREATE TABLE attempts (
  attempt_id TEXT PRIMARY KEY,
  flow TEXT NOT NULL,
  client TEXT NOT NULL,
  token_digest TEXT NOT NULL,
  locale TEXT NOT NULL,
  national_id TEXT,
  binding_code TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  provider_expires_at INTEGER,
  authenticated_at INTEGER,
  rejected_at INTEGER,
  failed_at INTEGER,
  redeemed_at INTEGER,
  user_id INTEGER REFERENCES users (id),
  end_reason TEXT,
  completion_digest TEXT,
  completion_expires_at INTEGER,
  completion_misses INTEGER NOT NULL,
  replay_salt TEXT,
  replay_key_digest TEXT,
  replay_body_digest TEXT,
  replay_misses INTEGER,
  CONSTRAINT authenticated_with_user CHECK ((authenticated_at IS NULL) = (user_id IS NULL)),
  CONSTRAINT redeemed_from_authenticated CHECK (
    redeemed_at IS NULL OR (authenticated_at IS NOT NULL AND failed_at IS NULL)
  ),
  CONSTRAINT rejected_from_pending CHECK (
    rejected_at IS NULL OR (authenticated_at IS NULL AND failed_at IS NULL)
  ),
  CONSTRAINT ended_with_reason CHECK (
    (end_reason IS NULL) = (rejected_at IS NULL AND failed_at IS NULL)
  ),
  CONSTRAINT completion_whole CHECK (
    (completion_digest IS NULL) = (completion_expires_at IS NULL)
  ),
  CONSTRAINT seal_of_redeemed CHECK (replay_salt IS NULL OR redeemed_at IS NOT NULL),
  CONSTRAINT seal_whole CHECK (
    (replay_salt IS NULL) = (replay_key_digest IS NULL)
    AND (replay_salt IS NULL) = (replay_body_digest IS NULL)
    AND (replay_salt IS NULL) = (replay_misses IS NULL)
  )
) STRICT, WITHOUT ROWID`;

/** For the purge. SQLite uses this index only if queries/guards.ts has exactly this expression. */
const ATTEMPTS_BY_EXPIRY = `
CREATE INDEX attempts_by_expiry ON attempts (
  CASE WHEN provider_expires_at < expires_at THEN provider_expires_at ELSE expires_at END
)`;

const ATTEMPTS_WITH_SEAL = `
CREATE INDEX attempts_with_seal ON attempts (redeemed_at) WHERE replay_salt IS NOT NULL
`;

/** A token outlives its attempt, so `attempt_id` may refer to a deleted row. */
const API_TOKENS = `
CREATE TABLE api_tokens (
  token_id TEXT PRIMARY KEY,
  token_digest TEXT NOT NULL UNIQUE,
  attempt_id TEXT NOT NULL UNIQUE,
  user_id INTEGER NOT NULL REFERENCES users (id),
  client TEXT NOT NULL,
  device_name TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID`;

/**
 * The first schema. The tables refuse states that no transition produces, so that even a wrong
 * statement can't write them. Times are milliseconds since 1970.
 */
export const attemptsUsersTokens: Migration = {
  name: '0001-attempts-users-tokens',
  statements: [
    USERS,
    ATTEMPTS,
    ATTEMPTS_BY_EXPIRY,
    ATTEMPTS_WITH_SEAL,
    API_TOKENS,
    'CREATE INDEX api_tokens_of_user ON api_tokens (user_id, created_at)',
    'CREATE INDEX api_tokens_by_expiry ON api_tokens (expires_at)',
  ],
};
