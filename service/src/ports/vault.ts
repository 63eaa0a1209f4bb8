import type { Digest } from '../domain/digest.ts';

/** The one place that a sealed text belongs to. */
export interface SealContext {
  readonly table: string;
  readonly row: string;
  readonly column: string;
}

/**
 * Keeps what must not be readable in a database, a backup or a disk that is thrown away.
 *
 * - V-1: `open` gives back exactly what `seal` was given, for the same context: any well-formed text.
 * - V-2: a sealed text opens in its own table, row and column and nowhere else.
 * - V-3: a text that was changed, or never sealed, is an error and never another text.
 * - V-4: sealing one text twice gives two texts, and neither says more of it than its length.
 * - V-5: `seal` uses the current key; `open` knows every key by the id in the text, and names in its
 *   error one that it lacks.
 * - V-6: `digest` is the same for the same key and parts, and another for any other key or parts.
 *   Nobody without the key can compute it, not even for ten digits that can all be tried.
 * - V-7: no error quotes what was sealed, neither open nor sealed.
 */
export interface Vault {
  /** Ids say nothing about the keys themselves. */
  readonly currentKey: string;
  /** Keys of before: they open, and nothing new is sealed with them. */
  readonly retiredKeys: readonly string[];
  seal(context: SealContext, text: string): string;
  /** @throws Error */
  open(context: SealContext, sealed: string): string;
  /** For looking up what is sealed. @throws Error on the id of a key that is not there */
  digest(key: string, ...parts: readonly string[]): Digest;
}
