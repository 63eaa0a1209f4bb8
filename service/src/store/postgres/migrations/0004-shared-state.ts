import type { Migration } from '../../sql/migration.ts';

// What instances share beside the store (platform/coordination/coordination.port.ts). It may be lost when the server
// crashes: then windows begin anew, and no attempt is locked. An UNLOGGED table is not written to
// the write-ahead log, so its changes wait for no disk and no standby. `timestamptz` columns are
// filled from the server's clock, the other times come from the service.

/** `name` is a digest of the limit and of what it counts, so no address is kept here. */
const RATE_WINDOWS = `
CREATE UNLOGGED TABLE shared_rate_windows (
  name text COLLATE "C" PRIMARY KEY,
  ends_at bigint NOT NULL,
  calls bigint NOT NULL,
  begun_at timestamptz NOT NULL
) WITH (fillfactor = 70)`;

/** A row is a piece of work that runs, or whose instance has died. */
const ATTEMPT_LEASES = `
CREATE UNLOGGED TABLE shared_attempt_leases (
  attempt_id text COLLATE "C" PRIMARY KEY,
  holder text COLLATE "C" NOT NULL,
  ends_at timestamptz NOT NULL
)`;

const STATUS_POLLS = `
CREATE UNLOGGED TABLE shared_status_polls (
  attempt_id text COLLATE "C" PRIMARY KEY,
  address text COLLATE "C",
  questions bigint NOT NULL,
  next_at bigint NOT NULL,
  latest text COLLATE "C" NOT NULL,
  used_at timestamptz NOT NULL
)`;

/** The indexes are for the purges by age. */
export const sharedState: Migration = {
  name: '0004-shared-state',
  statements: [
    RATE_WINDOWS,
    'CREATE INDEX shared_rate_windows_by_age ON shared_rate_windows (begun_at)',
    ATTEMPT_LEASES,
    'CREATE INDEX shared_attempt_leases_by_end ON shared_attempt_leases (ends_at)',
    STATUS_POLLS,
    'CREATE INDEX shared_status_polls_by_use ON shared_status_polls (used_at)',
  ],
};
