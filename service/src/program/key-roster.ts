import { keyedDigest } from '../domain/digest.ts';
import { SECOND_MS, type Ms } from '../domain/time.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import type { Note, SharedNotes } from '../ports/coordination.ts';
import type { Clock } from '../ports/runtime.ts';
import type { ServerKeys } from './store-needs.ts';

/** How often an instance says that it runs, and how long the others believe it. */
export const ROSTER_INTERVAL_MS: Ms = 10 * SECOND_MS;
const ROSTER_KEEP_MS: Ms = 45 * SECOND_MS;
/**
 * How long an instance works on after it last compared its keys. Shorter than the others believe
 * it, by more than an operation of the store can take.
 */
const LEASE_MS: Ms = 30 * SECOND_MS;

/** What an instance tells of its keys: ids that reveal nothing of them. */
interface RunningKeys {
  readonly current: string;
  readonly known: readonly string[];
}

interface RosterParts {
  readonly notes: SharedNotes;
  /** A name that no other instance has. */
  readonly instance: string;
  readonly keys: ServerKeys;
  readonly clock: Clock;
  /** Told when an instance runs with a key that does not fit; this one must then stop. */
  readonly onConflict: (error: Error) => void;
}

/**
 * The keys of all running instances. Two instances of which one writes with a key that the other
 * does not know would give one person two users, and could not repeat each other's answers. Each
 * instance writes its keys before it reads those of the others, so of two that start at once at
 * least one sees the other.
 */
export class KeyRoster {
  readonly #notes: SharedNotes;
  readonly #instance: string;
  readonly #own: RunningKeys;
  readonly #onConflict: (error: Error) => void;
  readonly #clock: Clock;
  #version = 0;
  /** When the keys were last compared, and fitted. */
  #comparedAt: Ms | null = null;
  #isInConflict = false;
  #renewal: Promise<void> | null = null;

  constructor({ notes, instance, keys: { current, retired }, clock, onConflict }: RosterParts) {
    this.#notes = notes;
    this.#clock = clock;
    this.#instance = instance;
    this.#own = { current: idOf(current), known: [current, ...retired].map(idOf) };
    this.#onConflict = onConflict;
  }

  /**
   * Says that this instance starts.
   * @param notes to be used while the store is not admitted yet
   * @throws Error that says what to do, unless all keys fit
   */
  async enter(notes = this.#notes): Promise<void> {
    const fault = await this.#compare(notes);
    if (fault === null) return;
    await this.leave(notes);
    throw new Error(fault);
  }

  /** Says that this instance still runs. Others may have started while the database was away. */
  renew(): Promise<void> {
    this.#renewal ??= this.#renewOnce().finally(() => (this.#renewal = null));
    return this.#renewal;
  }

  async #renewOnce(): Promise<void> {
    const fault = await this.#compare(this.#notes);
    if (fault === null) return;
    this.#isInConflict = true;
    this.#onConflict(new Error(fault));
  }

  /**
   * To be called before each operation of the store: without the database for a while, others may
   * have started with other keys, because they no longer believed that this instance runs.
   * @throws Refusal `storage.unavailable` unless the keys were compared not long ago
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

  /** Says that this instance runs no more. */
  async leave(notes = this.#notes): Promise<void> {
    if (this.#version > 0) await this.#write(notes, 0);
  }

  /** @returns why the keys do not fit */
  async #compare(notes: SharedNotes): Promise<string | null> {
    const at = this.#clock.now();
    await this.#write(notes, ROSTER_KEEP_MS);
    const running = await notes.list('instance');
    const others = running.filter(({ name }) => name !== this.#instance).map(keysIn);
    const fault = others.map((other) => faultBetween(this.#own, other)).find((found) => found);
    if (fault === undefined) this.#comparedAt = at;
    return fault ?? null;
  }

  async #write(notes: SharedNotes, keepMs: Ms): Promise<void> {
    const { current, known } = this.#own;
    const text = [current, ...known].join(' ');
    const note = { room: 'instance', name: this.#instance, text, keepMs } as const;
    if (!(await notes.write({ ...note, replaces: this.#version }))) {
      // After a crash of the database, or a long time without it, the note is not there any more.
      this.#version = (await notes.read('instance', this.#instance))?.version ?? 0;
      if (!(await notes.write({ ...note, replaces: this.#version }))) return;
    }
    this.#version += 1;
  }
}

const ID_CHARACTERS = 16;

function idOf(key: Uint8Array): string {
  return Buffer.from(keyedDigest(key, 'id of the key')).toString('hex').slice(0, ID_CHARACTERS);
}

function keysIn({ text }: Note): RunningKeys {
  const [current = '', ...known] = text.split(' ');
  return { current, known };
}

function faultBetween(own: RunningKeys, other: RunningKeys): string | null {
  if (!own.known.includes(other.current)) {
    return (
      'another instance with this database writes with a SECRET_KEY that this one does not have: ' +
      'give it here too, as SECRET_KEY or in RETIRED_SECRET_KEYS'
    );
  }
  if (!other.known.includes(own.current)) {
    return (
      'another instance with this database runs without the SECRET_KEY of this one: first start ' +
      'every instance with it in RETIRED_SECRET_KEYS, then with it as SECRET_KEY. An instance that ' +
      `was killed counts for ${ROSTER_KEEP_MS / SECOND_MS} seconds more`
    );
  }
  return null;
}
