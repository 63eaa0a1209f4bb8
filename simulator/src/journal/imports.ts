import type { Finding } from '../coach/rule.ts';
import type { ListedAttempt } from '../hosted.ts';
import { ENTRY_CHARACTERS, type Numbered } from './journal.ts';
import { Shares } from './shares.ts';
import { textsIn } from './weigh.ts';

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

interface SizedImport {
  readonly imported: Imported;
  readonly characters: number;
}

/**
 * The time lines that were imported, each of one scope. The oldest makes room for a new one; where all
 * together are too many, the oldest of the scope that has most.
 */
export class Imports {
  readonly #limits: ImportLimits;
  readonly #kept = new Map<string, SizedImport>();
  readonly #shares = new Shares();
  #characters = 0;

  constructor(limits: ImportLimits = IMPORT_LIMITS) {
    this.#limits = limits;
  }

  add(imported: Imported): void {
    const { id, scope } = imported.attempt;
    const characters = charactersIn(imported);
    this.#kept.set(id, { imported, characters });
    this.#characters += characters;
    this.#shares.add(scope, { kept: 1, characters });
    if (this.#shares.of(scope).kept > this.#limits.ofScope) this.#dropOldest(scope);
    if (this.#kept.size > this.#limits.all) this.#dropOldest(this.#shares.largest('kept'));
    while (this.#characters > this.#limits.characters && this.#kept.size > 1) {
      this.#dropOldest(this.#shares.largest('characters'));
    }
  }

  /** Those of a scope, the last one first. */
  list(scope: string): readonly Imported[] {
    const all = [...this.#kept.values()].map(({ imported }) => imported);
    return all.filter(({ attempt }) => attempt.scope === scope).toReversed();
  }

  find(id: string, scope: string): Imported | null {
    const found = this.#kept.get(id)?.imported;
    return found?.attempt.scope === scope ? found : null;
  }

  reset(scope: string): void {
    for (const kept of this.#kept.values()) {
      if (kept.imported.attempt.scope === scope) this.#drop(kept);
    }
  }

  #dropOldest(scope: string | null): void {
    const oldest = this.#kept.values().find(({ imported }) => imported.attempt.scope === scope);
    if (oldest !== undefined) this.#drop(oldest);
  }

  #drop({ imported: { attempt }, characters }: SizedImport): void {
    this.#kept.delete(attempt.id);
    this.#characters -= characters;
    this.#shares.add(attempt.scope, { kept: -1, characters: -characters });
  }
}

/** It walks over all of it, so it is done once. */
function charactersIn({ entries, findings }: Imported): number {
  const named = findings.reduce((sum, finding) => sum + finding.entries.length, 0);
  const texts = entries.reduce((sum, { entry }) => sum + textsIn(entry), 0);
  return texts + (entries.length + findings.length + 1) * ENTRY_CHARACTERS + named;
}
