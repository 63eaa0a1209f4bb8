import { DECISIONS, type PastDecision } from '@miftah/simulator/engine';
import type { AttemptId } from '../values/ids.ts';
import type { Ms } from '../values/time.ts';
import {
  MOST_NOTES,
  type Note,
  type SharedNotes,
} from '../platform/coordination/coordination.port.ts';

interface VersionedDecision {
  readonly past: PastDecision | null;
  readonly version: number;
}

const NOTHING: VersionedDecision = { past: null, version: 0 };

/**
 * How old the list of notes may be when the status of an attempt is read. Such decisions are rare,
 * and a read for each status would be half of what the status costs. Their results are late anyway.
 */
const LIST_AGE_MS: Ms = 250;

/**
 * Decisions whose result is not there yet, for example because it is signed ten seconds later. Any
 * instance may be asked for it then.
 */
export class KeptDecisions {
  readonly #notes: SharedNotes;
  #listed: Promise<ReadonlyMap<string, VersionedDecision>> | null = null;
  #listedAt: Ms = 0;

  constructor(notes: SharedNotes) {
    this.#notes = notes;
  }

  async of(attemptId: AttemptId): Promise<VersionedDecision> {
    const note = await this.#notes.read('decision', attemptId);
    return note === null ? NOTHING : decisionIn(note);
  }

  /** As `of`, but it may miss what another instance wrote a moment ago. */
  async soonOf(attemptId: AttemptId, now: Ms): Promise<VersionedDecision> {
    const isOld = now < this.#listedAt || now >= this.#listedAt + LIST_AGE_MS;
    if (this.#listed === null || isOld) this.#list(now);
    const listed = await this.#listed;
    const kept = listed?.get(attemptId);
    if (kept !== undefined) return kept;
    // A full list may be without this one.
    return (listed?.size ?? 0) < MOST_NOTES ? NOTHING : this.of(attemptId);
  }

  /** False when another decision was kept meanwhile. */
  async keep(
    attemptId: AttemptId,
    { decision, named, at }: PastDecision,
    { replaces, keepMs }: { replaces: VersionedDecision; keepMs: Ms },
  ): Promise<boolean> {
    const text = JSON.stringify([decision, named, at]);
    const note = { room: 'decision', name: attemptId, text, keepMs } as const;
    const isKept = await this.#notes.write({ ...note, replaces: replaces.version });
    this.#listed = null;
    return isKept;
  }

  #list(now: Ms): void {
    const listed = this.#notes
      .list('decision')
      .then((notes) => new Map(notes.map((note) => [note.name, decisionIn(note)])));
    // The next status read tries again.
    listed.catch(() => {
      if (this.#listed === listed) this.#listed = null;
    });
    this.#listed = listed;
    this.#listedAt = now;
  }
}

function decisionIn({ text, version }: Note): VersionedDecision {
  const parts: unknown = JSON.parse(text);
  const values: readonly unknown[] = Array.isArray(parts) ? parts : [];
  const [decision, named, at] = values;
  const known = DECISIONS.find((one) => one === decision);
  if (known === undefined || typeof at !== 'number') throw new Error('a note is no decision');
  return {
    past: { decision: known, named: typeof named === 'string' ? named : null, at },
    version,
  };
}
