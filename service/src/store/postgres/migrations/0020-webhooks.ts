import type { Migration } from '../../sql/migration.ts';

/** What back ends are told (store/ports/outbox.port.ts). Empty unless a client has a receiver. */
const DELIVERIES = `
CREATE TABLE webhook_deliveries (
  delivery_id text COLLATE "C" PRIMARY KEY,
  client text COLLATE "C" NOT NULL,
  receiver text COLLATE "C" NOT NULL,
  event text COLLATE "C" NOT NULL,
  attempt_id text COLLATE "C",
  user_id bigint,
  reason text COLLATE "C",
  at bigint NOT NULL,
  since bigint NOT NULL,
  tries bigint NOT NULL,
  next_at bigint,
  ended_at bigint,
  outcome text COLLATE "C",
  answer text COLLATE "C",
  CONSTRAINT waiting_or_ended CHECK (
    (outcome IS NULL) = (next_at IS NOT NULL) AND (outcome IS NULL) = (ended_at IS NULL)
  )
)`;

/** An earlier version knows none of the tables: what it changes is told to nobody. */
export const webhooks: Migration = {
  name: '0020+webhooks',
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
  receiver text COLLATE "C" PRIMARY KEY,
  client text COLLATE "C" NOT NULL,
  at bigint NOT NULL
)`,
    `
CREATE TABLE webhook_sweep (
  id bigint PRIMARY KEY CHECK (id = 1),
  swept_to bigint NOT NULL
)`,
  ],
};
