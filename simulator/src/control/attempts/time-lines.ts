import type { Static } from '@miftah/schema';
import { coach } from '../../coach/coach.ts';
import type { Finding, OtherStart } from '../../coach/rule.ts';
import { isReserved } from '../../engine/people/national-id.ts';
import type { Ms } from '../../engine/ports.ts';
import { actsOf } from '../../journal/acts-of-prompt.ts';
import { isAnswer } from '../../journal/entry.ts';
import type { Imported, Imports } from '../../journal/imports.ts';
import type { Numbered } from '../../journal/journal.ts';
import { maskEntries } from '../../journal/mask/mask.ts';
import { readable } from '../../journal/readable.ts';
import { SeenAttempts } from '../../journal/seen-attempts.ts';
import { areOfSameProgramAndPerson } from '../../journal/starts.ts';
import type { HostedAttempt, HostedAttempts, ListedAttempt, ListedPart } from '../../hosted.ts';
import type { ControlOptions } from '../../options.ts';
import type { AllPrompts } from '../all-prompts.ts';
import { personText, type PersonText } from '../person-text.ts';

/** `own`: of this instance. `imported`: from a file. */
export const SOURCES = ['own', 'imported'] as const;

/** By browser, and by phone. */
export const FLOWS = ['oidc', 'mfa'] as const;

export interface RowFacts extends ListedAttempt {
  /** How many entries the journal has seen. It changes whenever something happens. */
  readonly entries: number;
  readonly source: (typeof SOURCES)[number];
  /** Whether it is pending and an outcome that was chosen before answers, or has. */
  readonly planned: boolean;
  /** Whether it is pending, and its person, or an outcome in their place, has answered. */
  readonly answered: boolean;
  /** Who has signed in, or whom the start asks for: an invented person of the scope, or null. */
  readonly person: Static<typeof PersonText>;
}

/** One attempt with all that happened to it, masked. */
export interface TimeLineFacts extends Omit<Imported, 'attempt'> {
  readonly attempt: RowFacts;
}

interface Recorded {
  readonly source: RowFacts['source'];
  readonly entries: readonly Numbered[];
}

/** Starts that are compared with each other. */
const NEIGHBOURS = 50;

/** The attempts of this instance and those from files, with what happened to them. */
export class TimeLines {
  readonly #options: ControlOptions;
  readonly #prompts: AllPrompts;
  readonly #imports: Imports;
  /** Those of the service, or without one those that the calls to the provider have named. */
  readonly #attempts: HostedAttempts | SeenAttempts;

  constructor(options: ControlOptions, prompts: AllPrompts, imports: Imports) {
    this.#options = options;
    this.#prompts = prompts;
    this.#imports = imports;
    this.#attempts = options.attempts ?? new SeenAttempts(options.engine, options.journal);
  }

  /** Newest first, what was imported before the others; null where `before` is no attempt. */
  async rows(scope: string, { limit, before }: ListedPart): Promise<readonly RowFacts[] | null> {
    const imported = this.#imports.list(scope).map(importedRow);
    const start = imported.findIndex(({ id }) => id === before) + 1;
    const first = before === null || start > 0 ? imported.slice(start, start + limit) : [];
    const left = limit - first.length;
    if (left === 0) return first;
    const own = await this.ownRows(scope, { limit: left, before: start > 0 ? null : before });
    return own === null ? null : [...first, ...own];
  }

  async ownRows(scope: string, part: ListedPart): Promise<readonly RowFacts[] | null> {
    const own = await this.#attempts.list(scope, part);
    return own === null ? null : Promise.all(own.map((one) => this.#row(one)));
  }

  async ownRow(id: string, scope: string): Promise<RowFacts | null> {
    const found = await this.#attempts.find(id, scope);
    return found === null ? null : this.#row(found);
  }

  async has(id: string, scope: string): Promise<boolean> {
    if (this.#imports.find(id, scope) !== null) return true;
    return (await this.#attempts.find(id, scope)) !== null;
  }

  async find(id: string, scope: string): Promise<TimeLineFacts | null> {
    const attempt = await this.ownRow(id, scope);
    if (attempt !== null) return this.#own(attempt);
    const imported = this.#imports.find(id, scope);
    return imported === null ? null : { ...imported, attempt: importedRow(imported) };
  }

  /** The entries as they were recorded, with what is secret; those of a file are masked. */
  async recorded(id: string, scope: string): Promise<Recorded | null> {
    const attempt = await this.ownRow(id, scope);
    const imported = this.#imports.find(id, scope);
    if (attempt !== null) {
      return { source: 'own', entries: this.#options.journal.entriesOf(id, scope).entries };
    }
    return imported === null ? null : { source: 'imported', entries: imported.entries };
  }

  /** @returns its row */
  add(imported: Imported): RowFacts {
    this.#imports.add(imported);
    return importedRow(imported);
  }

  /** Drops all that was recorded of a scope, or imported into it. */
  reset(scope: string): void {
    this.#options.journal.reset(scope);
    this.#imports.reset(scope);
  }

  /** Whether a number may be shown: an invented person of the scope has or had it. */
  isKnown(scope: string): (nationalId: string) => boolean {
    const { directory } = this.#options.engine.scopes.of(scope);
    return (number) => directory.ownerOf(number) !== null || isReserved(number);
  }

  /** With what its phone has done by itself until now, which nobody has recorded yet. */
  async #row({ nationalId, ...attempt }: HostedAttempt): Promise<RowFacts> {
    const { id, scope } = attempt;
    const { journal, engine } = this.#options;
    if (journal.nextActOf(id, scope) <= engine.now()) {
      const prompt = await this.#prompts.find(id, scope);
      const { acts, next } = actsOf(prompt, journal.entriesOf(id, scope).entries, engine.now());
      journal.recordActs(id, scope, acts, next);
    }
    const entries = journal.countOf(id, scope);
    const person = personText(engine, scope, nationalId);
    const planned = this.#isPlanned(attempt);
    const answered = attempt.state === 'pending' && journal.has(id, scope, isAnswer);
    return { ...attempt, entries, source: 'own', planned, answered, person };
  }

  /** After the acts of its phone until now were recorded. */
  #isPlanned({ id, scope, state }: ListedAttempt): boolean {
    const { journal } = this.#options;
    if (state !== 'pending') return false;
    const isBy = (who: 'person' | 'outcome') =>
      journal.has(id, scope, ({ act }) => act?.by === who);
    const isComing = journal.nextActOf(id, scope) < Number.POSITIVE_INFINITY;
    return isBy('outcome') || (isComing && !isBy('person'));
  }

  async #own(attempt: RowFacts): Promise<TimeLineFacts> {
    const { id, scope } = attempt;
    const { entries, count } = this.#options.journal.entriesOf(id, scope);
    const shown = entries.map(({ number, entry }) => ({ number, entry: readable(entry) }));
    return {
      attempt,
      entries: maskEntries(shown, id, this.isKnown(scope)),
      leftOut: count - entries.length,
      findings: await this.#findings(attempt, entries),
    };
  }

  async #findings(attempt: RowFacts, entries: readonly Numbered[]): Promise<readonly Finding[]> {
    const { flow, state, createdAt } = attempt;
    const now = this.#options.time.now();
    const endedAt = endOf(attempt, entries);
    const othersStarted = await this.#others(attempt, entries);
    const isKey = (key: string) => this.#options.attempts?.isKey(key) ?? true;
    return coach({ flow, state, createdAt, endedAt, now, entries, othersStarted, isKey });
  }

  async #others({ id, scope }: RowFacts, own: readonly Numbered[]): Promise<readonly OtherStart[]> {
    const newest = (await this.ownRows(scope, { limit: NEIGHBOURS, before: null })) ?? [];
    return newest
      .filter((other) => other.id !== id)
      .map((other) => {
        const { entries } = this.#options.journal.entriesOf(other.id, scope);
        return {
          id: other.id,
          at: other.createdAt,
          isAlike: areOfSameProgramAndPerson(own, entries),
        };
      });
  }
}

function importedRow({ attempt, entries, leftOut }: Imported): RowFacts {
  // Whom a file names is not believed.
  return {
    ...attempt,
    entries: entries.length + leftOut,
    source: 'imported',
    planned: false,
    answered: attempt.state === 'pending' && entries.some(({ entry }) => isAnswer(entry)),
    person: null,
  };
}

function endOf({ state, expiresAt }: RowFacts, entries: readonly Numbered[]): Ms | null {
  if (state === 'pending') return null;
  if (state === 'expired') return expiresAt;
  return entries.findLast(({ entry }) => isAnswer(entry))?.entry.at ?? null;
}
