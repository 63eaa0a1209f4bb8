import { digestOf, sameDigest } from './digest.ts';

/** The one client of simulator mode. Its key is public on purpose: it opens invented data only. */
export const SIMULATOR_CLIENT = 'simulator';
const SIMULATOR_CLIENT_KEY = 'mfk_test_simulator';

/** The client whose key this is, or null. */
export function clientOfKey(key: string): string | null {
  const expected = digestOf('client-key', SIMULATOR_CLIENT_KEY);
  return sameDigest(expected, digestOf('client-key', key)) ? SIMULATOR_CLIENT : null;
}
