import { parseSigningKeys, rotated, SIGNING_KEYS } from '../../account/openid-keys.ts';
import type { OpenidRecords } from '../../store/ports/store.port.ts';
import type { Ms } from '../../values/time.ts';

/**
 * What `miftah keys rotate --openid` does. It is never too early here: what waits for clients and for
 * other instances would keep a test waiting.
 * @returns false where there are no keys yet
 */
export async function rotateKeys(
  store: OpenidRecords,
  made: readonly unknown[],
  at: Ms,
): Promise<boolean> {
  const kept = await store.findOpenid(SIGNING_KEYS);
  if (kept === null) return false;
  const to = JSON.stringify(rotated(parseSigningKeys(kept.body), made, at));
  return store.replaceOpenid({ ...SIGNING_KEYS, from: kept.body, to, at });
}
