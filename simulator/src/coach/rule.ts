import type { Texts } from '../engine/locale.ts';
import type { Ms } from '../engine/ports.ts';
import type { Numbered } from '../journal/journal.ts';

/** Another attempt of the same scope that began about the same time. */
export interface OtherStart {
  readonly id: string;
  readonly at: Ms;
  /** For the same identity number, and by the same program as far as its headers tell. */
  readonly isAlike: boolean;
}

/** What the coach knows of one attempt. All times are by the clock of the simulation. */
export interface CoachInput {
  /** `oidc`: by browser. `mfa`: by phone. */
  readonly flow: string;
  /** `pending`, `authenticated`, `redeemed`, `rejected`, `expired` or `failed`. */
  readonly state: string;
  readonly createdAt: Ms;
  /** Null while it is pending, and where nobody knows when it ended. */
  readonly endedAt: Ms | null;
  readonly now: Ms;
  /** Oldest first. */
  readonly entries: readonly Numbered[];
  readonly othersStarted: readonly OtherStart[];
  /** Whether a client of the service has this key. True of all where no service is. */
  readonly isKey: (key: string) => boolean;
}

/** One thing that an integration can do wrong. */
export interface CoachRule {
  /** Never changes its meaning. */
  readonly key: string;
  readonly title: Texts;
  /** What to change. */
  readonly advice: Texts;
  /** When exactly the coach says so, for the documentation. */
  readonly says: string;
  /**
   * Needs evidence that no other explanation has: an application that does nothing wrong gets no
   * finding.
   * @returns the numbers of the entries that show it, if any; null where nothing is wrong
   */
  readonly check: (input: CoachInput) => readonly number[] | null;
}

/** What the coach says of an attempt. */
export interface Finding {
  readonly rule: string;
  readonly title: Texts;
  readonly advice: Texts;
  /** Numbers of entries, in their order. */
  readonly entries: readonly number[];
}
