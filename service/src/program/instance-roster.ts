import { SECOND_MS, type Ms } from '../domain/time.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import type { SharedNotes } from '../ports/coordination.ts';
import type { Clock, Random, Timer } from '../ports/runtime.ts';
import {
  conflictBetween,
  NOTE_KEEP_MS,
  noteIn,
  textOf,
  type Conflict,
  type RosterNote,
} from './instance-note.ts';
import { whoRuns } from './who-runs.ts';

/** How often an instance says that it runs. */
export const ROSTER_INTERVAL_MS: Ms = 10 * SECOND_MS;
/**
 * How long an instance works on after it last compared its note. Shorter than the others believe
 * it, by more than an operation of the store can take.
 */
const LEASE_MS: Ms = 30 * SECOND_MS;

const NAME_BYTES = 12;

/** A name that no other program has. */
export function nameForRoster(random: Random): string {
  return Buffer.from(random.bytes(NAME_BYTES)).toString('base64url');
}

interface RosterParts {
  readonly notes: SharedNotes;
  /** From `nameForRoster`. */
  readonly instance: string;
  readonly own: RosterNote;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Told when somebody else runs who does not fit; this one must then stop. */
  readonly onConflict: (error: Error) => void;
  /** Told why a start takes long: it waits until a program that may be dead is forgotten. */
  readonly onWait: (reason: string) => void;
}

/**
 * All programs that use one database. Two instances of which one writes with a key that the other
 * does not know would give one person two users, and could not repeat each other's answers; some
 * programs have to be alone. Each writes its note before it reads those of the others, so of two
 * that start at once at least one sees the other.
 */
export class InstanceRoster {
  readonly #notes: SharedNotes;
  readonly #instance: string;
  readonly #own: RosterNote;
  readonly #onConflict: (error: Error) => void;
  readonly #onWait: (reason: string) => void;
  readonly #clock: Clock;
  readonly #timer: Timer;
  #version = 0;
  /** When the notes were last compared, and fitted. */
  #comparedAt: Ms | null = null;
  #isInConflict = false;
  #renewal: Promise<void> | null = null;

  constructor({ notes, instance, own, clock, timer, onConflict, onWait }: RosterParts) {
    this.#notes = notes;
    this.#clock = clock;
    this.#timer = timer;
    this.#instance = instance;
    this.#own = own;
    this.#onConflict = onConflict;
    this.#onWait = onWait;
  }

  /**
   * Says that this program starts.
   * @param notes to be used while the store is not admitted yet
   * @throws Error that says what to do, unless everybody fits
   */
  async enter(notes = this.#notes): Promise<void> {
    const found = await this.#tryToEnter(notes);
    if (found === null) return;
    // Somebody who was killed must not keep the next one from starting.
    const isFree = found.isForStarts && (await this.#waitUntilFree(notes, found));
    const again = isFree ? await this.#tryToEnter(notes) : found;
    if (again !== null) throw new Error(again.message);
  }

  async #tryToEnter(notes: SharedNotes): Promise<Conflict | null> {
    const conflict = await this.#compare(notes);
    if (conflict !== null) await this.leave(notes);
    return conflict;
  }

  async #waitUntilFree(notes: SharedNotes, { message }: Conflict): Promise<boolean> {
    const onUnsure = () =>
      this.#onWait(`${message}. Waiting until it is certain that it still runs`);
    return (await whoRuns({ notes, timer: this.#timer, onUnsure })).length === 0;
  }

  /** Says that this instance still runs. Others may have started while the database was away. */
  renew(): Promise<void> {
    this.#renewal ??= this.#renewOnce().finally(() => (this.#renewal = null));
    return this.#renewal;
  }

  async #renewOnce(): Promise<void> {
    const conflict = await this.#compare(this.#notes);
    if (conflict === null) return;
    this.#isInConflict = true;
    this.#onConflict(new Error(conflict.message));
  }

  /**
   * To be called before each operation of the store: without the database for a while, others may
   * have started with other keys, because they no longer believed that this instance runs.
   * @throws Refusal `storage.unavailable` unless the notes were compared not long ago
   */
  async requireCompared(): Promise<void> {
    if (this.#isCompared) return;
    await this.renew();
    if (!this.#isCompared) throw new Refusal('storage.unavailable');
  }

  get #isCompared(): boolean {
    const at = this.#comparedAt;
    return !this.#isInConflict && at !== null && this.#clock.now() - at < LEASE_MS;
  }

  /** Says that this program runs no more. */
  async leave(notes = this.#notes): Promise<void> {
    if (this.#version > 0) await this.#write(notes, 0);
  }

  /** @returns why somebody else who runs does not fit */
  async #compare(notes: SharedNotes): Promise<Conflict | null> {
    const at = this.#clock.now();
    const isStart = this.#comparedAt === null;
    await this.#write(notes, NOTE_KEEP_MS);
    const running = await notes.list('instance');
    const conflicts = running
      .filter(({ name }) => name !== this.#instance)
      .map(({ text }) => conflictBetween(this.#own, noteIn(text)))
      .filter((found) => found !== null)
      .filter(({ isForStarts }) => isStart || !isForStarts);
    const conflict = conflicts.find((found) => !found.isForStarts) ?? conflicts[0] ?? null;
    if (conflict === null) this.#comparedAt = at;
    return conflict;
  }

  async #write(notes: SharedNotes, keepMs: Ms): Promise<void> {
    const text = textOf(this.#own);
    const note = { room: 'instance', name: this.#instance, text, keepMs } as const;
    if (!(await notes.write({ ...note, replaces: this.#version }))) {
      // After a crash of the database, or a long time without it, the note is not there any more.
      this.#version = (await notes.read('instance', this.#instance))?.version ?? 0;
      if (!(await notes.write({ ...note, replaces: this.#version }))) return;
    }
    this.#version += 1;
  }
}
