import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { hasKeyFile, placeOfRetired, rereadServerKeys } from '../config/source/reread.ts';
import { isSame, type ServerKeyring } from '../platform/keys/server-keyring.ts';
import type { KeysAmongInstances, ServerKeys } from '../platform/keys/server-keys.port.ts';
import { allKeys, type Secret } from '../values/secret.ts';
import type { Reread } from './reload.ts';

interface KeyNeeds {
  readonly config: Config;
  readonly keys: ServerKeyring;
  /** Null where nobody else uses the store. */
  readonly keysAmongInstances: KeysAmongInstances | null;
}

/** Null where neither SECRET_KEY nor RETIRED_SECRET_KEYS is in a file. */
export function rereadKeys({ config, keys, keysAmongInstances }: KeyNeeds): Reread | null {
  if (!hasKeyFile(config)) return null;
  // A change that failed may have learnt keys that no other instance was shown.
  let isLastComplete = true;
  return () => {
    const read = rereadServerKeys(config);
    const current = read.current === null ? keys.current : bytesOf(read.current);
    const next = { current, retired: (read.retired ?? config.retiredKeys).map(bytesOf) };
    const hasNewCurrent = !isSame(current, keys.current);
    if (hasNewCurrent && !next.retired.some((key) => isSame(key, keys.current))) {
      throw new ConfigError([`${placeOfRetired(config)}: ${LEFT_OUT}`]);
    }
    const hasNewRetired = keys.unknownOf(next.retired).length > 0;
    const takenOut = allKeys(keys).filter(
      (known) => !allKeys(next).some((key) => isSame(key, known)),
    );
    const changeAmongInstances = async () => {
      isLastComplete = false;
      await change(keys, next, keysAmongInstances);
      isLastComplete = true;
    };
    const isChange = hasNewCurrent || hasNewRetired || !isLastComplete;
    return {
      settings: [
        ...(hasNewCurrent ? ['SECRET_KEY'] : []),
        ...(hasNewRetired ? ['RETIRED_SECRET_KEYS'] : []),
      ],
      ...(isChange ? { changeAmongInstances } : {}),
      use: () => undefined,
      ...(takenOut.length > 0 ? { note: `${placeOfRetired(config)} ${TAKEN_OUT}` } : {}),
    };
  };
}

const LEFT_OUT =
  'the SECRET_KEY of before has to stay in it: without it nobody reads what it has written';

const TAKEN_OUT =
  'lacks a key that this process goes on to know: it is given up by the next start, which first ' +
  'looks whether anything is still under it';

const UNKNOWN =
  'SECRET_KEY is a key that this instance has never read: first every instance with this database ' +
  'has to read it in RETIRED_SECRET_KEYS, by SIGHUP or a start, and then as SECRET_KEY';

/**
 * Nobody writes with a key before all know it: a person would become two. What has begun without a
 * new key is done before others may count on it (decision 0026).
 * @throws Error that says which step is missing; what is written with is as it was then
 */
async function change(
  keys: ServerKeyring,
  next: ServerKeys,
  instances: KeysAmongInstances | null,
): Promise<void> {
  const before = keys.current;
  const hasNewCurrent = !isSame(next.current, before);
  const requireFit = instances?.requireFit ?? null;
  if (hasNewCurrent && requireFit !== null) {
    if (keys.unknownOf([next.current]).length > 0) throw new Error(UNKNOWN);
    await requireFit(keys.writingWith(next.current));
  }
  keys.learn(allKeys(next));
  await instances?.settled();
  await instances?.show([before], keys);
  if (!hasNewCurrent) return;
  await instances?.show([before, next.current], keys);
  keys.writeWith(next.current);
  await instances?.settled();
  await instances?.show([next.current], keys);
}

const bytesOf = (key: Secret): Uint8Array => Buffer.from(key.reveal(), 'hex');
