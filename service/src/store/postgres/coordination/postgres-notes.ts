import { SECOND_MS } from '../../../values/time.ts';
import type {
  NewNote,
  Note,
  NoteRoom,
  SharedNotes,
} from '../../../platform/coordination/coordination.port.ts';
import { MOST_NOTES } from '../../../platform/coordination/coordination.port.ts';
import type { SqlRow } from '../../sql/statement.ts';
import { PurgeByUse, purgeCall, type SharedDatabase } from './shared-database.ts';

const TABLE = 'shared_notes';

const INSERT = `
INSERT INTO ${TABLE} (name, room, body, version, ends_at)
VALUES ($1, $2, $3, 1, clock_timestamp() + make_interval(secs => $4))
ON CONFLICT (name) DO NOTHING RETURNING version`;

const REPLACE = `
UPDATE ${TABLE} SET body = $3, version = version + 1,
  ends_at = clock_timestamp() + make_interval(secs => $4)
WHERE name = $1 AND room = $2 AND version = $5 RETURNING version`;

const READ = `SELECT name, body, version FROM ${TABLE} WHERE name = $1`;

const LIST = `
SELECT name, body, version FROM ${TABLE} WHERE room = $1 AND ends_at > clock_timestamp()
ORDER BY ends_at DESC LIMIT ${MOST_NOTES}`;

/** A row for each note; its version is the condition of every change. */
export class PostgresNotes implements SharedNotes {
  readonly #database: SharedDatabase;
  readonly #purge: PurgeByUse;

  constructor(database: SharedDatabase) {
    this.#database = database;
    this.#purge = new PurgeByUse(database, purgeCall(TABLE, 'name', 'ends_at', 0));
  }

  async write({ room, name, text, replaces, keepMs }: NewNote): Promise<boolean> {
    const values = [keyOf(room, name), room, text, keepMs / SECOND_MS];
    const written =
      replaces === 0
        ? await this.#database.write('new note', INSERT, values)
        : await this.#database.write('next note', REPLACE, [...values, replaces]);
    this.#purge.note(1);
    return written.rows.length === 1;
  }

  async read(room: NoteRoom, name: string): Promise<Note | null> {
    const [row] = (await this.#database.read('note', READ, [keyOf(room, name)])).rows;
    return row === undefined ? null : noteIn(row, room);
  }

  async list(room: NoteRoom): Promise<readonly Note[]> {
    const { rows } = await this.#database.read('notes', LIST, [room]);
    return rows.map((row) => noteIn(row, room));
  }
}

function keyOf(room: NoteRoom, name: string): string {
  return `${room} ${name}`;
}

function noteIn(row: SqlRow, room: NoteRoom): Note {
  return {
    name: String(row['name']).slice(keyOf(room, '').length),
    text: String(row['body']),
    version: Number(row['version']),
  };
}
