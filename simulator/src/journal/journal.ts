import { plainId } from '@miftah/contract/uuid';
import type { Ms } from '../engine/ports.ts';
import type { Entry } from './entry.ts';
import { Shares, type Share } from './shares.ts';
import { kept } from './weigh.ts';

export interface JournalLimits {
  readonly attempts: number;
  /** Of one attempt. */
  readonly entries: number;
  /** Of one attempt: its first ones stay, whatever follows. */
  readonly firstEntries: number;
  /** Characters of one entry: a longer one is kept without its bodies. */
  readonly entryCharacters: number;
  /** Characters of all texts together, with `ENTRY_CHARACTERS` for each entry. */
  readonly characters: number;
}

export const JOURNAL_LIMITS: JournalLimits = {
  attempts: 2000,
  entries: 200,
  firstEntries: 50,
  entryCharacters: 64 * 1024,
  characters: 32 * 1024 * 1024,
};

/** What an entry needs besides its texts. */
export const ENTRY_CHARACTERS = 512;

/**
 * An entry with its number: its place in the time line, from 1, with those that were left out. An
 * exchange is recorded when it has ended, so while an attempt goes on, one that began earlier can
 * still come before it, and what follows moves by one.
 */
export interface Numbered {
  readonly number: number;
  readonly entry: Entry;
}

/** `begun`: its place in the order of all that happens, as `turn` gives it. */
export interface Placed extends Numbered {
  readonly begun: number;
}

/** What the journal has of one attempt. */
export interface TimeLine {
  /** In the order in which they began, which is that of their numbers. */
  readonly entries: readonly Placed[];
  /** How many were there once: those that are left out too. It only grows. */
  readonly count: number;
}

/** What a phone has done by itself, and where it stands. */
export type PhoneAct = Omit<Placed, 'number'>;

interface SizedEntry extends Omit<Placed, 'number'> {
  readonly characters: number;
}

interface AttemptPages {
  readonly id: string;
  readonly scope: string;
  readonly first: SizedEntry[];
  readonly newest: SizedEntry[];
  count: number;
  characters: number;
  /** The turn of its last entry. */
  touched: number;
  /** When its phone does something by itself. */
  nextAct: Ms;
}

const NOTHING: TimeLine = { entries: [], count: 0 };

/** After an entry it is not known when the phone acts next: it has to be found out. */
const AT_ONCE: Ms = Number.NEGATIVE_INFINITY;
const NEVER: Ms = Number.POSITIVE_INFINITY;

/**
 * What happened to each attempt, for those who look at a simulation. It is in memory, because in the
 * store every simulated call would be a write with its bodies. It is bounded: the oldest attempts of
 * the scope that has most go first, and of a long one its middle. `record` keeps references and
 * nothing else, because requests wait for it; whoever reads pays for the rest.
 */
export class Journal {
  readonly #limits: JournalLimits;
  readonly #attempts = new Map<string, AttemptPages>();
  readonly #shares = new Shares();
  #characters = 0;
  #turn = 0;

  constructor(limits: JournalLimits = JOURNAL_LIMITS) {
    this.#limits = limits;
  }

  /**
   * A place in the order of all that happens. An exchange is recorded when it has ended: with the turn
   * of its beginning it stands before what happened meanwhile, although the clock shows the same time.
   */
  turn(): number {
    this.#turn += 1;
    return this.#turn;
  }

  /** The newest turn: while it is the same, nothing has been recorded. */
  lastTurn(): number {
    return this.#turn;
  }

  record(attemptId: string, scope: string, entry: Entry, begun: number = this.turn()): void {
    const pages = this.#pagesOf(attemptId, scope);
    pages.nextAct = AT_ONCE;
    const added = this.#add(pages, entry, begun);
    if (pages.first.length < this.#limits.firstEntries) pages.first.push(added);
    else pages.newest.push(added);
    this.#makeRoom(pages);
  }

  /**
   * Records what a phone has done by itself: it stays with the first entries. Nothing for an attempt
   * that the journal does not know.
   * @param next when the phone acts next; Infinity for never
   */
  recordActs(attemptId: string, scope: string, acts: readonly PhoneAct[], next: Ms): void {
    const pages = this.#attempts.get(keyOf(attemptId, scope));
    if (pages === undefined) return;
    pages.nextAct = next;
    for (const { entry, begun } of acts) pages.first.push(this.#add(pages, entry, begun));
    if (acts.length > 0) this.#makeRoom(pages);
  }

  /** When a phone does something by itself; Infinity where it never does. */
  nextActOf(attemptId: string, scope: string): Ms {
    return this.#attempts.get(keyOf(attemptId, scope))?.nextAct ?? NEVER;
  }

  /** Nothing of an attempt that it does not know, and of one of another scope. */
  entriesOf(attemptId: string, scope: string): TimeLine {
    const pages = this.#attempts.get(keyOf(attemptId, scope));
    if (pages === undefined) return NOTHING;
    const { first, newest, count } = pages;
    const sorted = [...first, ...newest].toSorted(inOrder);
    const leftOut = count - sorted.length;
    // What was left out stood before the oldest of the newest ones.
    const gap = leftOut === 0 ? 0 : sorted.findIndex((one) => newest.includes(one));
    const entries = sorted.map(({ entry, begun }, at) => {
      return { number: at + 1 + (at < gap ? 0 : leftOut), entry, begun };
    });
    return { entries, count };
  }

  /** Whether such an entry is kept of the attempt. */
  has(attemptId: string, scope: string, isWanted: (entry: Entry) => boolean): boolean {
    const { first = [], newest = [] } = this.#attempts.get(keyOf(attemptId, scope)) ?? {};
    const isFound = ({ entry }: SizedEntry) => isWanted(entry);
    return first.some(isFound) || newest.some(isFound);
  }

  countOf(attemptId: string, scope: string): number {
    return this.#attempts.get(keyOf(attemptId, scope))?.count ?? 0;
  }

  /** The attempts of a scope, those first whose first entry came last. */
  idsOf(scope: string): readonly string[] {
    return this.touchedSince(scope, 0);
  }

  /** Those of them that something has happened to after a turn. */
  touchedSince(scope: string, turn: number): readonly string[] {
    const all = [...this.#attempts.values()];
    const found = all.filter((one) => one.scope === scope && one.touched > turn);
    return found.map(({ id }) => id).toReversed();
  }

  /** Drops all of a scope. */
  reset(scope: string): void {
    for (const pages of this.#attempts.values()) if (pages.scope === scope) this.#drop(pages);
  }

  #add(pages: AttemptPages, given: Entry, begun: number): SizedEntry {
    const { entry, texts } = kept(given, this.#limits.entryCharacters);
    const characters = texts + ENTRY_CHARACTERS;
    pages.count += 1;
    pages.touched = this.turn();
    this.#grow(pages, characters);
    return { entry, begun, characters };
  }

  #makeRoom(pages: AttemptPages): void {
    const { first, newest } = pages;
    while (newest.length > 0 && first.length + newest.length > this.#limits.entries) {
      this.#grow(pages, -(newest.shift()?.characters ?? 0));
    }
    const isFull = () => this.#characters > this.#limits.characters;
    while (isFull() && this.#attempts.size > 1) this.#dropOldest('characters');
  }

  #pagesOf(id: string, scope: string): AttemptPages {
    const key = keyOf(id, scope);
    const known = this.#attempts.get(key);
    if (known !== undefined) return known;
    const nothing = { first: [], newest: [], count: 0, characters: 0, touched: 0 };
    const pages = { id: plainId(id), scope, ...nothing, nextAct: AT_ONCE };
    this.#attempts.set(key, pages);
    this.#shares.add(scope, { kept: 1 });
    if (this.#attempts.size > this.#limits.attempts) this.#dropOldest('kept');
    return pages;
  }

  #grow(pages: AttemptPages, characters: number): void {
    pages.characters += characters;
    this.#characters += characters;
    this.#shares.add(pages.scope, { characters });
  }

  #dropOldest(by: keyof Share): void {
    const scope = this.#shares.largest(by);
    const oldest = this.#attempts.values().find((pages) => pages.scope === scope);
    if (oldest !== undefined) this.#drop(oldest);
  }

  #drop({ id, scope, characters }: AttemptPages): void {
    this.#attempts.delete(keyOf(id, scope));
    this.#characters -= characters;
    this.#shares.add(scope, { kept: -1, characters: -characters });
  }
}

function inOrder(one: SizedEntry, other: SizedEntry): number {
  return one.entry.at - other.entry.at || one.begun - other.begun;
}

/** The same id is another attempt in another scope. A scope has no space in its name. */
function keyOf(attemptId: string, scope: string): string {
  return `${scope} ${plainId(attemptId)}`;
}
