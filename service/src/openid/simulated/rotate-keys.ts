import { firstKeys, parseSigningKeys, rotated, SIGNING_KEYS } from '../../account/openid-keys.ts';
import type { OpenidRecords } from '../../store/ports/store.port.ts';
import type { Ms } from '../../values/time.ts';
import { keptBody } from '../records.ts';

/**
 * What `miftah keys rotate --openid` does. It is never too early here: what waits for clients and for
 * other instances would keep a test waiting.
 * Where nobody has asked for a key yet, the first ones are made and rotated too.
 * @returns false where another call has done it at the same moment
 */
export async function rotateKeys(
  store: OpenidRecords,
  newKeys: () => Promise<readonly unknown[]>,
  at: Ms,
): Promise<boolean> {
  const from = await keptBody(store, SIGNING_KEYS, async () =>
    JSON.stringify(firstKeys(await newKeys(), await newKeys(), at)),
  );
  const to = JSON.stringify(rotated(parseSigningKeys(from), await newKeys(), at));
  return store.replaceOpenid({ ...SIGNING_KEYS, from, to, at });
}
