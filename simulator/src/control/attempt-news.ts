import type { Journal } from '../journal/journal.ts';
import { attemptRow } from './attempts-wire.ts';
import type { TimeLines } from './time-lines.ts';

/** As many as a list of attempts can have. */
const NEWEST = 200;

/** A row as it is sent, by its attempt. */
type Rows = ReadonlyMap<string, string>;

/** What one reader knows: the rows that it was told last. */
export type KnownRows = Map<string, string>;

/** Which attempts there are in a scope, for those who watch it. */
export class AttemptNews {
  readonly #timeLines: TimeLines;
  readonly #journal: Journal;
  /** When each scope was looked at last, as a turn of the journal. */
  readonly #looked = new Map<string, number>();

  constructor(timeLines: TimeLines, journal: Journal) {
    this.#timeLines = timeLines;
    this.#journal = journal;
  }

  /** The newest rows of a scope, and older ones that something has happened to since the last look. */
  async look(scope: string): Promise<Rows> {
    const since = this.#looked.get(scope) ?? Number.POSITIVE_INFINITY;
    this.#looked.set(scope, this.#journal.turn());
    const newest = (await this.#timeLines.rows(scope, { limit: NEWEST, before: null })) ?? [];
    const listed = new Set(newest.map(({ id }) => id));
    const touched = this.#journal.touchedSince(scope, since).filter((id) => !listed.has(id));
    const found = await Promise.all(touched.map((id) => this.#timeLines.ownRow(id, scope)));
    const rows = [...newest, ...found.filter((row) => row !== null)];
    return new Map(rows.map((row) => [row.id, JSON.stringify(attemptRow(row))]));
  }

  /** Nobody watches the scopes that are not among these any more. */
  forgetAllBut(scopes: ReadonlySet<string>): void {
    for (const scope of this.#looked.keys()) if (!scopes.has(scope)) this.#looked.delete(scope);
  }
}

/** The rows that a reader does not know yet, which it knows from now on. */
export function newsOf(rows: Rows, known: KnownRows): readonly string[] {
  const news = [...rows].filter(([id, row]) => known.get(id) !== row);
  known.clear();
  for (const [id, row] of rows) known.set(id, row);
  return news.map(([, row]) => row);
}
