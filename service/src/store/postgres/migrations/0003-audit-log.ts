import type { Migration } from '../../sql/migration.ts';

/** `sequence` has no gaps. The values allowed in the columns are defined in audit/audit.ts. */
const AUDIT_LOG = `
CREATE TABLE audit_log (
  sequence bigint PRIMARY KEY,
  at bigint NOT NULL,
  action text COLLATE "C" NOT NULL,
  attempt_id text COLLATE "C",
  user_id bigint,
  client text COLLATE "C",
  person_digest text COLLATE "C",
  detail text COLLATE "C",
  count bigint,
  previous text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL
)`;

/** Its row holds the last hash, which the next row must follow. */
const AUDIT_HEAD = `
CREATE TABLE audit_head (
  id bigint PRIMARY KEY CHECK (id = 1),
  sequence bigint NOT NULL,
  hash text COLLATE "C" NOT NULL
)`;

/**
 * Where the log begins: after row `sequence`, whose hash the first remaining row follows. `proof`
 * is made with the log's key. Only rows up to `sequence` may be deleted.
 */
const AUDIT_ANCHOR = `
CREATE TABLE audit_anchor (
  id bigint PRIMARY KEY CHECK (id = 1),
  sequence bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  proof text COLLATE "C" NOT NULL
)`;

const NOTHING = '-'.repeat(43);

/** The class of constraint violations: the statement is at fault, not the connection. */
const REFUSED = '23000';

function refusal(message: string): string {
  return `RAISE EXCEPTION '${message}' USING ERRCODE = '${REFUSED}'`;
}

function triggerFunction(name: string, body: string): string {
  return `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$ ${body} $$`;
}

/**
 * Once for a statement, after its rows: they have to continue the log without a gap, and the head
 * moves to the last of them.
 */
const GROWS_AT_ITS_END = `
DECLARE
  first bigint;
  last bigint;
  rows bigint;
BEGIN
  SELECT min(sequence), max(sequence), count(*) INTO first, last, rows FROM added;
  IF rows = 0 THEN RETURN NULL; END IF;
  UPDATE audit_head SET sequence = last, hash = (SELECT hash FROM added WHERE sequence = last)
  WHERE id = 1 AND sequence = first - 1 AND rows = last - first + 1;
  IF NOT FOUND THEN ${refusal('the audit log only grows at its end')}; END IF;
  RETURN NULL;
END`;

/** A missing anchor allows nothing to be deleted. */
const NEVER_SHRINKS = `
BEGIN
  IF EXISTS (
    SELECT 1 FROM removed
    WHERE (removed.sequence <= (SELECT sequence FROM audit_anchor WHERE id = 1)) IS NOT TRUE
  ) THEN ${refusal('the audit log never shrinks after its anchor')}; END IF;
  RETURN NULL;
END`;

/** By several rows at once, but only to a row that is in the log. */
const HEAD_ONLY_MOVES_ON = `
BEGIN
  IF NEW.id = OLD.id AND NEW.sequence > OLD.sequence AND EXISTS (
    SELECT 1 FROM audit_log WHERE sequence = NEW.sequence AND hash = NEW.hash
  ) THEN RETURN NEW; END IF;
  ${refusal('the head of the audit log only moves on')};
END`;

const ANCHOR_ONLY_MOVES_ON = `
BEGIN
  IF NEW.id = OLD.id AND NEW.sequence > OLD.sequence THEN RETURN NEW; END IF;
  ${refusal('the anchor of the audit log only moves on')};
END`;

const FUNCTIONS = [
  triggerFunction('audit_log_grows_at_its_end', GROWS_AT_ITS_END),
  triggerFunction('audit_log_never_shrinks', NEVER_SHRINKS),
  triggerFunction('audit_head_only_moves_on', HEAD_ONLY_MOVES_ON),
  triggerFunction('audit_anchor_only_moves_on', ANCHOR_ONLY_MOVES_ON),
  triggerFunction(
    'audit_log_never_changes',
    `BEGIN ${refusal('the audit log never changes')}; END`,
  ),
  triggerFunction('audit_log_stays', `BEGIN ${refusal('the audit log and its ends stay')}; END`),
];

const STAYS = 'EXECUTE FUNCTION audit_log_stays()';

/** Other changes of the log are refused by the database itself, whichever program writes. */
const TRIGGERS = [
  `
CREATE TRIGGER audit_log_grows_at_its_end AFTER INSERT ON audit_log
REFERENCING NEW TABLE AS added EXECUTE FUNCTION audit_log_grows_at_its_end()`,
  `
CREATE TRIGGER audit_log_never_changes BEFORE UPDATE ON audit_log
FOR EACH ROW EXECUTE FUNCTION audit_log_never_changes()`,
  `
CREATE TRIGGER audit_log_never_shrinks AFTER DELETE ON audit_log
REFERENCING OLD TABLE AS removed EXECUTE FUNCTION audit_log_never_shrinks()`,
  `CREATE TRIGGER audit_log_is_not_emptied BEFORE TRUNCATE ON audit_log ${STAYS}`,
  `
CREATE TRIGGER audit_head_only_moves_on BEFORE UPDATE ON audit_head
FOR EACH ROW EXECUTE FUNCTION audit_head_only_moves_on()`,
  `CREATE TRIGGER audit_head_stays BEFORE DELETE ON audit_head FOR EACH ROW ${STAYS}`,
  `CREATE TRIGGER audit_head_is_not_emptied BEFORE TRUNCATE ON audit_head ${STAYS}`,
  `
CREATE TRIGGER audit_anchor_only_moves_on BEFORE UPDATE ON audit_anchor
FOR EACH ROW EXECUTE FUNCTION audit_anchor_only_moves_on()`,
  `CREATE TRIGGER audit_anchor_stays BEFORE DELETE ON audit_anchor FOR EACH ROW ${STAYS}`,
  `CREATE TRIGGER audit_anchor_is_not_emptied BEFORE TRUNCATE ON audit_anchor ${STAYS}`,
];

/** The audit log, which only grows at its end and is only cut before its anchor. */
export const auditLog: Migration = {
  name: '0003-audit-log',
  statements: [
    AUDIT_LOG,
    'CREATE INDEX audit_log_of_attempt ON audit_log (attempt_id) WHERE attempt_id IS NOT NULL',
    AUDIT_HEAD,
    AUDIT_ANCHOR,
    `INSERT INTO audit_head (id, sequence, hash) VALUES (1, 0, '${NOTHING}')`,
    `
INSERT INTO audit_anchor (id, sequence, hash, at, proof)
VALUES (1, 0, '${NOTHING}', 0, '${NOTHING}')`,
    ...FUNCTIONS,
    ...TRIGGERS,
  ],
};
