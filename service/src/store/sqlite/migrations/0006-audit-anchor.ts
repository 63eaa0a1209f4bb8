import type { Migration } from '../../sql/migration.ts';

/**
 * Where the log begins: after row `sequence`, whose hash the first remaining row follows. `proof`
 * is made with the log's key. Only rows up to `sequence` may be deleted.
 */
const AUDIT_ANCHOR = `
CREATE TABLE audit_anchor (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL,
  at INTEGER NOT NULL,
  proof TEXT NOT NULL
) STRICT`;

const NOTHING = '-'.repeat(43);

const TRIGGERS = [
  `
CREATE TRIGGER audit_log_never_shrinks BEFORE DELETE ON audit_log
WHEN (OLD.sequence <= (SELECT sequence FROM audit_anchor WHERE id = 1)) IS NOT TRUE
BEGIN SELECT RAISE(ABORT, 'the audit log never shrinks after its anchor'); END`,
  `
CREATE TRIGGER audit_anchor_only_moves_on BEFORE UPDATE ON audit_anchor
WHEN NEW.id IS NOT OLD.id OR (NEW.sequence > OLD.sequence) IS NOT TRUE
BEGIN SELECT RAISE(ABORT, 'the anchor of the audit log only moves on'); END`,
  `
CREATE TRIGGER audit_anchor_stays BEFORE DELETE ON audit_anchor
BEGIN SELECT RAISE(ABORT, 'the anchor of the audit log stays'); END`,
];

/** Allows removing the oldest rows, so that the log does not grow without limit. */
export const auditAnchor: Migration = {
  name: '0006-audit-anchor',
  statements: [
    AUDIT_ANCHOR,
    `INSERT INTO audit_anchor VALUES (1, 0, '${NOTHING}', 0, '${NOTHING}')`,
    'DROP TRIGGER audit_log_never_shrinks',
    ...TRIGGERS,
  ],
};
