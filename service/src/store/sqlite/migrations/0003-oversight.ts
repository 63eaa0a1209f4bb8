import type { Migration } from '../../sql/migration.ts';

/** What the store is for: one row, written once. */
const STORE_SEAL = `
CREATE TABLE store_seal (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  mode TEXT NOT NULL,
  provider_url TEXT,
  path_prefix TEXT,
  issuer TEXT,
  CONSTRAINT provider_of_mode CHECK (
    (mode = 'simulator') = (provider_url IS NULL)
    AND (provider_url IS NULL) = (path_prefix IS NULL)
    AND (provider_url IS NULL) = (issuer IS NULL)
  )
) STRICT`;

/** Earlier versions had only this mode, so existing rows belong to it. */
const SEAL_WHAT_IS_THERE = `
INSERT INTO store_seal (id, mode)
SELECT 1, 'simulator'
WHERE EXISTS (SELECT 1 FROM attempts) OR EXISTS (SELECT 1 FROM users)
  OR EXISTS (SELECT 1 FROM api_tokens)`;

/** Deleted with its attempt. */
const PROVIDER_CALLS = `
CREATE TABLE provider_calls (
  call_id INTEGER PRIMARY KEY,
  attempt_id TEXT NOT NULL REFERENCES attempts (attempt_id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  operation TEXT NOT NULL,
  query TEXT NOT NULL,
  body TEXT NOT NULL,
  status INTEGER,
  answer TEXT NOT NULL,
  reference INTEGER,
  refusal TEXT,
  duration_ms INTEGER NOT NULL
) STRICT`;

/** `sequence` has no gaps. The values allowed in the columns are defined in audit/audit.ts. */
const AUDIT_LOG = `
CREATE TABLE audit_log (
  sequence INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  action TEXT NOT NULL,
  attempt_id TEXT,
  user_id INTEGER,
  client TEXT,
  person_digest TEXT,
  detail TEXT,
  count INTEGER,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT`;

const AUDIT_LOG_OF_ATTEMPT = `
CREATE INDEX audit_log_of_attempt ON audit_log (attempt_id) WHERE attempt_id IS NOT NULL`;

/** Its row holds the last hash, which the next row must follow. */
const AUDIT_HEAD = `
CREATE TABLE audit_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT`;

/**
 * The database itself refuses every other change, whichever program writes. A REPLACE is refused
 * too.
 */
const AUDIT_TRIGGERS = [
  `
CREATE TRIGGER audit_log_grows_at_its_end BEFORE INSERT ON audit_log
WHEN NEW.sequence IS NOT (SELECT sequence + 1 FROM audit_head WHERE id = 1)
BEGIN SELECT RAISE(ABORT, 'the audit log only grows at its end'); END`,
  `
CREATE TRIGGER audit_log_moves_its_head AFTER INSERT ON audit_log
BEGIN UPDATE audit_head SET sequence = NEW.sequence, hash = NEW.hash WHERE id = 1; END`,
  `
CREATE TRIGGER audit_log_never_changes BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log never changes'); END`,
  `
CREATE TRIGGER audit_log_never_shrinks BEFORE DELETE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log never shrinks'); END`,
  `
CREATE TRIGGER audit_head_only_moves_on BEFORE UPDATE ON audit_head
WHEN NEW.id IS NOT OLD.id OR NEW.sequence IS NOT OLD.sequence + 1
BEGIN SELECT RAISE(ABORT, 'the head of the audit log only moves on'); END`,
  `
CREATE TRIGGER audit_head_stays BEFORE DELETE ON audit_head
BEGIN SELECT RAISE(ABORT, 'the head of the audit log stays'); END`,
];

/** For the operator: what the store is for, which users are disabled, and the audit log. */
export const oversight: Migration = {
  name: '0003-oversight',
  statements: [
    STORE_SEAL,
    SEAL_WHAT_IS_THERE,
    'ALTER TABLE users ADD COLUMN disabled_at INTEGER',
    PROVIDER_CALLS,
    'CREATE INDEX provider_calls_of_attempt ON provider_calls (attempt_id)',
    AUDIT_LOG,
    AUDIT_LOG_OF_ATTEMPT,
    AUDIT_HEAD,
    `INSERT INTO audit_head VALUES (1, 0, '${'-'.repeat(43)}')`,
    ...AUDIT_TRIGGERS,
  ],
};
