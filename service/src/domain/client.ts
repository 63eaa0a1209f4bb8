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
  /** Whether a start may name any port of this machine too (RFC 8252 section 7.3). */
  readonly returnsToLoopback: boolean;
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

/** Known to everybody on purpose: it opens invented data only. */
export const SIMULATOR_KEY = 'mfk_test_simulator';

/** The client of simulator mode where no file names others. */
export function simulatorClient(returnAddress: string): Client {
  return {
    id: 'simulator',
    name: { ar: 'تطبيق تجريبي', en: 'Demo application' },
    type: 'public',
    returnAddresses: [returnAddress],
    returnsToLoopback: true,
    codeIn: 'query',
    keys: [hashClientKey(SIMULATOR_KEY)],
    keyless: FLOWS,
  };
}

/** The same where live mode's rules hold: it keeps its key, and shows it at the redemption too. */
export function strictClient(returnAddress: string): Client {
  return { ...simulatorClient(returnAddress), type: 'confidential', keyless: [] };
}

/**
 * Where nobody has to show a key: a start without one is the first client's, for each flow that no
 * client is keyless for.
 */
export function openToAll([first, ...others]: readonly Client[]): readonly Client[] {
  if (first === undefined) return [];
  const taken = new Set(others.flatMap(({ keyless }) => keyless));
  return [{ ...first, keyless: FLOWS.filter((flow) => !taken.has(flow)) }, ...others];
}

/** Not `[::1]`: a page's policy has no form for it, so no browser would follow a form there. */
const NAMES_HERE: readonly string[] = ['localhost', '127.0.0.1'];
const ANY_PORT_HERE = NAMES_HERE.flatMap((name) => [`http://${name}:*`, `https://${name}:*`]);

const LONGEST_ADDRESS = 2048;
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** https everywhere but on this machine, where developers have no certificate. */
export function isReturnAddress(text: string): boolean {
  const url = URL.parse(text);
  // The form in which it goes out is the longer one: what is not ASCII is escaped in it.
  if (url === null || url.href.length > LONGEST_ADDRESS || text.includes('#')) return false;
  if (url.username + url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

/** The address to go back to that a start has named; null when the client has no such one. */
export function namedReturnAddress(client: Client, wanted: string): string | null {
  if (client.returnAddresses.includes(wanted)) return wanted;
  const mayBeHere = client.returnsToLoopback && isReturnAddress(wanted);
  const url = mayBeHere ? new URL(wanted) : null;
  return url !== null && NAMES_HERE.includes(url.hostname) ? url.href : null;
}

const isLoopback = ({ hostname }: URL) => LOOPBACK_HOST.test(hostname);

/** Origins that the client's browsers are sent on to, as a page's policy (form-action) has them. */
export function returnOrigins(client: Client): readonly string[] {
  const own = client.returnAddresses.map((address) => new URL(address).origin);
  return client.returnsToLoopback ? [...own, ...ANY_PORT_HERE] : own;
}
