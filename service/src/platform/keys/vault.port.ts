import type { Digest } from '../../values/secret.ts';

/** The one place in the database for which a text is sealed. */
export interface SealContext {
  readonly table: string;
  readonly row: string;
  readonly column: string;
}

/**
 * Encrypts what must not be readable in a database, a backup or a discarded disk.
 *
 * - V-1: `open` gives back exactly what `seal` was given, for the same context: any well-formed
 *   text.
 * - V-2: a sealed text opens only in its own table, row and column.
 * - V-3: a text that was changed, or was never sealed, causes an error and never gives another
 *   text.
 * - V-4: sealing one text twice gives two different texts, and each reveals only the text's length.
 * - V-5: `seal` uses the current key. `open` finds the key by the id in the text, and its error
 *   names the id of a key that is missing.
 * - V-6: `digest` is the same for the same key and parts, and different for any other key or parts.
 *   Nobody can compute it without the key, even for ten digits, which could all be tried.
 * - V-7: no error quotes what was sealed, neither in plain text nor sealed.
 */
export interface Vault {
  /** The ids reveal nothing about the keys themselves. */
  readonly currentKey: string;
  /** Earlier keys: they still open texts, but seal no new ones. */
  readonly retiredKeys: readonly string[];
  seal(context: SealContext, text: string): string;
  /** @throws Error for a text that can't be opened */
  open(context: SealContext, sealed: string): string;
  /** For looking up sealed values. @throws Error for the id of a key that is missing */
  digest(key: string, ...parts: readonly string[]): Digest;
}
