import type { Finding } from '../coach/rule.ts';
import type { ListedAttempt } from '../options.ts';
import { textsIn } from './weigh.ts';
import { ENTRY_CHARACTERS, type Numbered } from './journal.ts';

export interface ImportLimits {
  readonly ofScope: number;
  readonly all: number;
  /** Characters of all texts together. */
  readonly characters: number;
}

export const IMPORT_LIMITS: ImportLimits = {
  ofScope: 20,
  all: 200,
  characters: 16 * 1024 * 1024,
};

/** A time line that came from a file: masked, and nothing in it is believed. */
export interface Imported {
  readonly attempt: ListedAttempt;
  readonly entries: readonly Numbered[];
  readonly leftOut: number;
  readonly findings: readonly Finding[];
}

/** The time lines that were imported, each of one scope. The oldest makes room for a new one. */
export class Imports {
  readonly #limits: ImportLimits;
  readonly #kept = new Map<string, Imported>();

  constructor(limits: ImportLimits = IMPORT_LIMITS) {
    this.#limits = limits;
  }

  add(imported: Imported): void {
    this.#kept.set(imported.attempt.id, imported);
    const { scope } = imported.attempt;
    while (this.list(scope).length > this.#limits.ofScope) this.#dropOldest(scope);
    while (this.#isFull()) this.#dropOldest(null);
  }

  /** Those of a scope, the last one first. */
  list(scope: string): readonly Imported[] {
    return [...this.#kept.values()].filter((one) => one.attempt.scope === scope).toReversed();
  }

  find(id: string, scope: string): Imported | null {
    const found = this.#kept.get(id);
    return found?.attempt.scope === scope ? found : null;
  }

  reset(scope: string): void {
    for (const { attempt } of this.list(scope)) this.#kept.delete(attempt.id);
  }

  #isFull(): boolean {
    const all = [...this.#kept.values()];
    const characters = all.reduce((sum, { entries }) => sum + charactersIn(entries), 0);
    return (
      all.length > this.#limits.all || (all.length > 1 && characters > this.#limits.characters)
    );
  }

  #dropOldest(scope: string | null): void {
    const oldest = [...this.#kept.values()].find(
      ({ attempt }) => scope === null || attempt.scope === scope,
    );
    if (oldest !== undefined) this.#kept.delete(oldest.attempt.id);
  }
}

function charactersIn(entries: readonly Numbered[]): number {
  return entries.reduce((sum, { entry }) => sum + textsIn(entry) + ENTRY_CHARACTERS, 0);
}
