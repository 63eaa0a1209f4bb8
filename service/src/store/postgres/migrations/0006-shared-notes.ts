import type { Migration } from '../../sql/migration.ts';

/** As the other shared tables, it may be lost when the server crashes (0004-shared-state.ts). */
const NOTES = `
CREATE UNLOGGED TABLE shared_notes (
  name text COLLATE "C" PRIMARY KEY,
  room text COLLATE "C" NOT NULL,
  body text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  ends_at timestamptz NOT NULL
)`;

export const sharedNotes: Migration = {
  name: '0006-shared-notes',
  statements: [NOTES, 'CREATE INDEX shared_notes_by_room ON shared_notes (room, ends_at)'],
};
