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
) STRICT, WITHOUT ROWID;

CREATE INDEX api_tokens_by_expiry ON api_tokens (expires_at);

CREATE INDEX api_tokens_of_user ON api_tokens (user_id, client, revoked_at, token_id);

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
  replay_misses INTEGER, return_address TEXT, scenario TEXT,
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
) STRICT, WITHOUT ROWID;

CREATE INDEX attempts_by_expiry ON attempts (
  CASE WHEN provider_expires_at < expires_at THEN provider_expires_at ELSE expires_at END
);

CREATE INDEX attempts_with_seal ON attempts (redeemed_at) WHERE replay_salt IS NOT NULL
;

CREATE INDEX attempts_with_sealed_identifier ON attempts (
  CASE WHEN provider_expires_at < expires_at THEN provider_expires_at ELSE expires_at END
) WHERE national_id > 'v';

CREATE TABLE audit_anchor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL,
  at INTEGER NOT NULL,
  proof TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_anchor_only_moves_on BEFORE UPDATE ON audit_anchor
WHEN NEW.id IS NOT OLD.id OR (NEW.sequence > OLD.sequence) IS NOT TRUE
BEGIN SELECT RAISE(ABORT, 'the anchor of the audit log only moves on'); END;

CREATE TRIGGER audit_anchor_stays BEFORE DELETE ON audit_anchor
BEGIN SELECT RAISE(ABORT, 'the anchor of the audit log stays'); END;

CREATE TABLE audit_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_head_only_moves_on BEFORE UPDATE ON audit_head
WHEN NEW.id IS NOT OLD.id OR NEW.sequence IS NOT OLD.sequence + 1
BEGIN SELECT RAISE(ABORT, 'the head of the audit log only moves on'); END;

CREATE TRIGGER audit_head_stays BEFORE DELETE ON audit_head
BEGIN SELECT RAISE(ABORT, 'the head of the audit log stays'); END;

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
, actor TEXT, reason TEXT) STRICT;

CREATE TRIGGER audit_log_grows_at_its_end BEFORE INSERT ON audit_log
WHEN NEW.sequence IS NOT (SELECT sequence + 1 FROM audit_head WHERE id = 1)
BEGIN SELECT RAISE(ABORT, 'the audit log only grows at its end'); END;

CREATE TRIGGER audit_log_moves_its_head AFTER INSERT ON audit_log
BEGIN UPDATE audit_head SET sequence = NEW.sequence, hash = NEW.hash WHERE id = 1; END;

CREATE TRIGGER audit_log_never_changes BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log never changes'); END;

CREATE TRIGGER audit_log_never_shrinks BEFORE DELETE ON audit_log
WHEN (OLD.sequence <= (SELECT sequence FROM audit_anchor WHERE id = 1)) IS NOT TRUE
BEGIN SELECT RAISE(ABORT, 'the audit log never shrinks after its anchor'); END;

CREATE INDEX audit_log_of_attempt ON audit_log (attempt_id) WHERE attempt_id IS NOT NULL;

CREATE INDEX audit_log_of_given_up ON audit_log (sequence)
WHERE action = 'people.forgotten';

CREATE INDEX audit_log_of_store ON audit_log (sequence)
WHERE action IN ('store.restored', 'store.behind');

CREATE INDEX audit_log_of_tasks ON audit_log (action, sequence)
WHERE action IN ('store.backed_up', 'audit.verified', 'service.examined');

CREATE TABLE erased_people (
  identity_digest TEXT PRIMARY KEY,
  vault_key TEXT,
  erased_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
, due_at INTEGER) STRICT, WITHOUT ROWID;

CREATE INDEX openid_records_by_attempt ON openid_records (attempt_id)
WHERE attempt_id IS NOT NULL;

CREATE INDEX openid_records_by_expiry ON openid_records (expires_at)
WHERE expires_at IS NOT NULL;

CREATE INDEX openid_records_by_grant ON openid_records (grant_digest)
WHERE grant_digest IS NOT NULL;

CREATE INDEX openid_records_by_subject ON openid_records (subject) WHERE subject IS NOT NULL;

CREATE INDEX openid_records_by_vault_key ON openid_records (vault_key)
WHERE vault_key IS NOT NULL;

CREATE INDEX openid_records_due ON openid_records (client, due_at) WHERE due_at IS NOT NULL;

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
) STRICT;

CREATE INDEX provider_calls_by_time ON provider_calls (at);

CREATE INDEX provider_calls_of_attempt ON provider_calls (attempt_id);

CREATE TABLE provider_names (
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (kind, value)
) STRICT;

CREATE TABLE provider_transactions (
  attempt_id TEXT PRIMARY KEY REFERENCES attempts (attempt_id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  launch_url TEXT,
  state_digest TEXT UNIQUE,
  nonce TEXT,
  browser_digest TEXT,
  transaction_id TEXT UNIQUE,
  completed_seen_at INTEGER, spoiled_at INTEGER
  CONSTRAINT spoiled_without_address CHECK (
    spoiled_at IS NULL OR (kind = 'redirect' AND launch_url IS NULL)
  ), kept_tokens TEXT,
  CONSTRAINT redirect_or_push CHECK (
    (
      kind = 'redirect' AND state_digest IS NOT NULL AND nonce IS NOT NULL
      AND transaction_id IS NULL AND completed_seen_at IS NULL
    ) OR (
      kind = 'push' AND transaction_id IS NOT NULL AND launch_url IS NULL
      AND state_digest IS NULL AND nonce IS NULL AND browser_digest IS NULL
    )
  )
) STRICT, WITHOUT ROWID;

CREATE TABLE pushes (
  push_id INTEGER PRIMARY KEY,
  attempt_id TEXT NOT NULL,
  person_digest TEXT,
  client TEXT NOT NULL,
  admitted_at INTEGER NOT NULL,
  counts_until INTEGER NOT NULL
) STRICT;

CREATE INDEX pushes_by_end ON pushes (counts_until);

CREATE INDEX pushes_by_time ON pushes (admitted_at);

CREATE INDEX pushes_of_client ON pushes (client, admitted_at);

CREATE INDEX pushes_of_person ON pushes (person_digest, admitted_at)
  WHERE person_digest IS NOT NULL;

CREATE TABLE schema_migrations (
  name TEXT PRIMARY KEY,
  position INTEGER NOT NULL UNIQUE
) STRICT;

CREATE TABLE sqlite_sequence(name,seq);

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
) STRICT;

CREATE INDEX transactions_with_kept_tokens ON provider_transactions (attempt_id)
  WHERE kept_tokens IS NOT NULL;

CREATE TABLE "users" (
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
, disabled_at INTEGER, sign_ins_ended_at INTEGER, subject TEXT) STRICT;

CREATE INDEX users_by_subject ON users (subject) WHERE subject IS NOT NULL;

CREATE INDEX users_by_vault_key ON users (vault_key) WHERE vault_key IS NOT NULL;

CREATE TABLE webhook_deliveries (
  delivery_id TEXT PRIMARY KEY,
  client TEXT NOT NULL,
  receiver TEXT NOT NULL,
  event TEXT NOT NULL,
  attempt_id TEXT,
  user_id INTEGER,
  reason TEXT,
  at INTEGER NOT NULL,
  since INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  next_at INTEGER,
  ended_at INTEGER,
  outcome TEXT,
  answer TEXT,
  CONSTRAINT waiting_or_ended CHECK (
    (outcome IS NULL) = (next_at IS NOT NULL) AND (outcome IS NULL) = (ended_at IS NULL)
  )
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_by_attempt ON webhook_deliveries (attempt_id)
WHERE attempt_id IS NOT NULL;

CREATE INDEX webhook_deliveries_by_user ON webhook_deliveries (user_id)
WHERE user_id IS NOT NULL;

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (receiver, next_at)
WHERE next_at IS NOT NULL;

CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (outcome, ended_at)
WHERE outcome IS NOT NULL;

CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (since) WHERE next_at IS NOT NULL;

CREATE TABLE webhook_sweep (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  swept_to INTEGER NOT NULL
) STRICT;

CREATE TABLE webhooks_off (
  receiver TEXT PRIMARY KEY,
  client TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
