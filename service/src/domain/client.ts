import { hash } from 'node:crypto';
import type { Flow } from './flow.ts';
import type { Locale } from './locale.ts';
import { FLOWS } from './flow.ts';

/** SHA-256 of a whole key, as `sha256:` and 64 hex digits: what an operator keeps in a file. */
export type ClientKeyHash = `sha256:${string}`;

/** An application that may start sign-ins. */
export interface Client {
  readonly id: string;
  readonly name: Readonly<Record<Locale, string>>;
  /** A confidential one has a back end that keeps a key, and must show it at redemption too. */
  readonly type: 'public' | 'confidential';
  /** Exact addresses; the first is the one used when a start names none. */
  readonly returnAddresses: readonly string[];
  /** How the completion code travels back. */
  readonly codeIn: 'query' | 'fragment';
  readonly keys: readonly ClientKeyHash[];
  /** The flows that this client, and only a public one, may start without a key. */
  readonly keyless: readonly Flow[];
}

const KEY_FORM = /^mfk_[\x21-\x7e]{8,252}$/;

/** Keys are long random values, so a plain hash of one tells nothing and needs no slow function. */
export function hashClientKey(key: string): ClientKeyHash {
  return `sha256:${hash('sha256', key, 'hex')}`;
}

export function isClientKey(text: string): boolean {
  return KEY_FORM.test(text);
}

/**
 * The one client of simulator mode. Its key is public on purpose: it opens invented data only, and
 * no operation but introspection asks for it.
 */
export const SIMULATOR_CLIENT: Client = {
  id: 'simulator',
  name: { ar: 'تطبيق تجريبي', en: 'Demo application' },
  type: 'public',
  returnAddresses: [],
  codeIn: 'query',
  keys: [hashClientKey('mfk_test_simulator')],
  keyless: FLOWS,
};
