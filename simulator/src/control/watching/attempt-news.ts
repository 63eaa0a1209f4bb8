import type { Journal } from '../../journal/journal.ts';
import { attemptRow } from '../attempts/attempts-wire.ts';
import type { TimeLines } from '../attempts/time-lines.ts';

/** As many as a list of attempts can have. */
const NEWEST = 200;

/** A row as it is sent, by its attempt. */
type Rows = ReadonlyMap<string, string>;

/** The attempts of a scope at one look. */
export interface SeenRows {
  readonly rows: Rows;
  /** Another number than at the look before: rows that were there have gone. */
  readonly losses: number;
}

/** What one reader was told: the rows, and after which losses. */
export interface Told {
  rows: Rows;
  losses: number | null;
}

/** A scope that is watched. */
interface Watched {
  /** When it was looked at last, as a turn of the journal. */
  turn: number;
  ids: readonly string[];
  losses: number;
}

/** Which attempts there are in a scope, for those who watch it. */
export class AttemptNews {
  readonly #timeLines: TimeLines;
  readonly #journal: Journal;
  readonly #watched = new Map<string, Watched>();

  constructor(timeLines: TimeLines, journal: Journal) {
    this.#timeLines = timeLines;
    this.#journal = journal;
  }

  /** The newest rows of a scope, and older ones that something has happened to since the last look. */
  async look(scope: string): Promise<SeenRows> {
    const last = this.#watched.get(scope);
    const turn = this.#journal.turn();
    const newest = (await this.#timeLines.rows(scope, { limit: NEWEST, before: null })) ?? [];
    const ids = newest.map(({ id }) => id);
    const listed = new Set(ids);
    const since = last?.turn ?? Number.POSITIVE_INFINITY;
    const touched = this.#journal.touchedSince(scope, since).filter((id) => !listed.has(id));
    const found = await Promise.all(touched.map((id) => this.#timeLines.ownRow(id, scope)));
    const rows = [...newest, ...found.filter((row) => row !== null)];
    const missing = (last?.ids ?? []).filter((id) => !listed.has(id));
    const losses = (last?.losses ?? 0) + ((await this.#hasLost(missing, scope)) ? 1 : 0);
    this.#watched.set(scope, { turn, ids, losses });
    return { rows: new Map(rows.map((row) => [row.id, JSON.stringify(attemptRow(row))])), losses };
  }

  /** Nobody watches the scopes that are not among these any more. */
  forgetAllBut(scopes: ReadonlySet<string>): void {
    for (const scope of this.#watched.keys()) if (!scopes.has(scope)) this.#watched.delete(scope);
  }

  /** Whether one of these is gone: newer ones have taken the places of the others. */
  async #hasLost(ids: readonly string[], scope: string): Promise<boolean> {
    const found = await Promise.all(ids.map((id) => this.#timeLines.has(id, scope)));
    return found.includes(false);
  }
}

export interface AttemptsEvent {
  /** Whether the reader is to forget every row that is not among these. */
  readonly all: boolean;
  readonly rows: readonly string[];
}

/** What a reader is to be told, which it knows from now on; null for nothing. */
export function newsOf({ rows, losses }: SeenRows, told: Told): AttemptsEvent | null {
  const all = told.losses !== losses;
  const changed = [...rows].filter(([id, row]) => all || told.rows.get(id) !== row);
  told.rows = rows;
  told.losses = losses;
  return all || changed.length > 0 ? { all, rows: changed.map(([, row]) => row) } : null;
}
