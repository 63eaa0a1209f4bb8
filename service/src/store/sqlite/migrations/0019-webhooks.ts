import type { Migration } from '../../sql/migration.ts';

/** What back ends are told (store/ports/outbox.port.ts). Empty unless a client has a receiver. */
const DELIVERIES = `
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
) STRICT, WITHOUT ROWID`;

/** An earlier version knows none of the tables: what it changes is told to nobody. */
export const webhooks: Migration = {
  name: '0019+webhooks',
  statements: [
    DELIVERIES,
    `
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (receiver, next_at)
WHERE next_at IS NOT NULL`,
    `
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (since) WHERE next_at IS NOT NULL`,
    `
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (outcome, ended_at)
WHERE outcome IS NOT NULL`,
    `
CREATE INDEX webhook_deliveries_by_attempt ON webhook_deliveries (attempt_id)
WHERE attempt_id IS NOT NULL`,
    `
CREATE INDEX webhook_deliveries_by_user ON webhook_deliveries (user_id)
WHERE user_id IS NOT NULL`,
    `
CREATE TABLE webhooks_off (
  receiver TEXT PRIMARY KEY,
  client TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID`,
    `
CREATE TABLE webhook_sweep (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  swept_to INTEGER NOT NULL
) STRICT`,
  ],
};
