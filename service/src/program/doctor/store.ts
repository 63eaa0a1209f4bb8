import type { Config } from '../../config.ts';
import { isEmptyHead } from '../../domain/audit-head.ts';
import { fault, ok, type Finding } from '../../domain/finding.ts';
import { describeBinding, isSameBinding } from '../../domain/store-binding.ts';
import { isoTimestamp } from '../../domain/time.ts';
import { hasSecretKey } from '../../platform/secret-key.ts';
import type { Random } from '../../ports/runtime.ts';
import { hasDatabase, inspectStore, type StoreInspection } from '../../store/index.ts';
import { auditHeadFile } from '../audit-head.ts';
import { bindingOf } from '../open-store.ts';
import { auditKeysOf, serverKeys, type ServerKeys } from '../store-needs.ts';

const RESTORE = 'Leave it as it is, stop the service, and restore a backup (`miftah restore`).';

/** The store: whether it can be read, is of this version and whole, and what its log proves. */
export async function examineStore(config: Config, random: Random): Promise<Finding[]> {
  const { dataDir } = config;
  if (!hasDatabase(dataDir)) {
    const what = `There is no store in ${dataDir} yet.`;
    return [fault('store.open', what, 'Set DATA_DIR to that of the service, or start it once.')];
  }
  try {
    const keys = readKeys(config, random);
    const store = inspectStore(dataDir, keys === null ? [] : auditKeysOf(keys));
    try {
      return [...examineFile(store), ...(await examineContent(config, store, keys))];
    } finally {
      await store.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [fault('store.open', `The store in ${dataDir} can't be read: ${reason}.`, RESTORE)];
  }
}

/** Null when the key that the folder should have is not there; nothing makes one here. */
function readKeys(config: Config, random: Random): ServerKeys | null {
  const isMissing = config.secretKey === null && !hasSecretKey(config.dataDir);
  return isMissing ? null : serverKeys(config, random);
}

function examineFile(store: StoreInspection): Finding[] {
  const found = store.integrity();
  return [
    ok('store.open', `${store.file} can be read.`),
    examineSchema(store),
    found === 'ok'
      ? ok('store.integrity', 'SQLite finds the file whole.')
      : fault('store.integrity', `The file is damaged: ${found}.`, RESTORE),
  ];
}

function examineSchema(store: StoreInspection): Finding {
  const check = 'store.schema';
  const { missing, unknown } = store.schema();
  if (unknown.length > 0) {
    const what = `A newer version of this program has changed the store (${unknown.join(', ')}).`;
    return fault(check, what, 'Run that version again, or restore a backup from before it.');
  }
  if (missing.length > 0) {
    const what = `The store is of an earlier version of this program (${missing.join(', ')} is missing).`;
    return fault(
      check,
      what,
      'Start the service of this version once, which brings it up to date.',
    );
  }
  return ok(check, 'Its schema is that of this version.');
}

async function examineContent(
  config: Config,
  store: StoreInspection,
  keys: ServerKeys | null,
): Promise<Finding[]> {
  const { missing, unknown } = store.schema();
  // The statements are for the schema of this version.
  if (missing.length + unknown.length > 0 || store.integrity() !== 'ok') return [];
  return [await examineBinding(config, store), ...(await examineAudit(config, store, keys))];
}

async function examineBinding(config: Config, store: StoreInspection): Promise<Finding> {
  const wish = bindingOf(config);
  const found = await store.binding();
  if (found !== null && isSameBinding(found, wish)) {
    return ok('store.binding', `The store belongs to ${describeBinding(found)}.`);
  }
  const owner = found === null ? 'no mode yet' : describeBinding(found);
  const what = `The store belongs to ${owner}, and the settings are for ${describeBinding(wish)}.`;
  return fault('store.binding', what, 'Set another DATA_DIR, or the settings of this store.');
}

async function examineAudit(
  config: Config,
  store: StoreInspection,
  keys: ServerKeys | null,
): Promise<Finding[]> {
  if (keys === null || !(await store.knowsAudit())) {
    const what = 'The store was written with a key that is neither SECRET_KEY nor a retired one.';
    const remedy = 'Give that key back: as SECRET_KEY, in RETIRED_SECRET_KEYS, or as secret.key.';
    return [fault('store.key', what, remedy)];
  }
  const verdict = await store.verifyAudit();
  const remedy = 'See `miftah audit --verify`. Keep a copy of the store: somebody has changed it.';
  const chain = verdict.ok
    ? ok('audit.chain', `The audit log is whole up to row ${verdict.count}.`)
    : fault('audit.chain', `The audit log is not whole: ${verdict.fault}.`, remedy);
  const key = ok('store.key', 'SECRET_KEY is the key of the store.');
  return [key, chain, ...(await headOf(config, store, keys))];
}

async function headOf(
  config: Config,
  store: StoreInspection,
  keys: ServerKeys,
): Promise<Finding[]> {
  const check = 'audit.head';
  const file = auditHeadFile(config, keys);
  if (file === null) return [];
  try {
    const kept = file.read();
    if (kept === null) {
      const what = `${file.path} is not there.`;
      return [
        fault(check, what, 'The service writes it at its start. If it did, somebody took it.'),
      ];
    }
    if (isEmptyHead(kept) || (await store.containsHead(kept))) {
      return [ok(check, `The log reaches row ${kept.count} of ${isoTimestamp(kept.at)}.`)];
    }
    const what = `The log does not have row ${kept.count}, which ${file.path} has seen.`;
    return [fault(check, what, 'The store is an older one, or was cut off: restore a backup.')];
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    return [fault(check, what, 'Keep a copy of it, and find out who has changed it.')];
  }
}
