/** One thing in which a provider was compared with the simulator. */
export interface Drift {
  /** What was asked. */
  readonly probe: string;
  /** What the simulator does, in the words of its fidelity card. */
  readonly behaviour: string;
  /** How certain it was that a provider does the same: documented, reported or assumed. */
  readonly label: string;
  readonly differs: boolean;
  /** Where in the answer they differ: `status`, `body.code`; null where they do not. */
  readonly at: string | null;
  /** Forms, never values of people. */
  readonly simulator: string;
  readonly there: string;
  /** The setting of the simulator that makes it equal; null where none does. */
  readonly set: string | null;
}

/** What a comparison with a provider has found. */
export interface Comparison {
  /** Null: the provider could be asked. Otherwise why it could not, in a sentence. */
  readonly fault: string | null;
  /** In the order in which they were asked. */
  readonly drifts: readonly Drift[];
}

/** What to compare, and with whom. */
export interface ComparisonRequest {
  /** An origin. */
  readonly url: string;
  /** In place of the setting. */
  readonly pathPrefix: string | undefined;
  /** A test identity that gets a push; null: none is sent. */
  readonly identity: string | null;
  /** Whether a person is asked to sign in by browser, for the claims of its token. */
  readonly signIn: boolean;
}
