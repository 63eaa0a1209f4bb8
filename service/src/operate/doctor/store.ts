import { existsSync, readdirSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { faultWords, type FaultWords } from '../../errors/fault-words.ts';
import { asSentence, fault, LOOK_AGAIN, ok, warning, type Finding } from './finding.ts';
import { closedFile } from '../../platform/files/private-files.ts';
import { hasSecretKey } from '../../platform/keys/secret-key.ts';
import type { Clock, Random } from '../../platform/runtime.port.ts';
import { FILES_IN_USE, hasDatabase, inspectStore, type FileInspection } from '../../store/index.ts';
import type { ServerKeys } from '../../platform/keys/server-keys.port.ts';
import { auditKeysOf } from '../../platform/keys/audit-keys.ts';
import { serverKeys } from '../../program/store-needs.ts';
import { forgottenDatabase } from '../move/left-behind.ts';
import { fileWriterWithOther } from '../../program/open-store.ts';
import { examineContent, examineSchema, examineWriters } from './content.ts';

const LEFT = 'store.left_behind';
const RESTORE = 'Leave it as it is, stop the service, and restore a backup (`miftah restore`).';
const ADVICE = {
  older: 'Start the service of this version once, which brings it up to date.',
  otherwise: 'Set another DATA_DIR, or the settings of this store.',
};

/** The store: whether it can be read, is of this version and whole, and what its log proves. */
export async function examineStore(
  config: Config,
  random: Random,
  clock: Clock,
): Promise<Finding[]> {
  const { database } = config;
  if (database === null) return examineFile(config, random);
  const { examineDatabase } = await import('./database.ts');
  return examineDatabase(config, database, { keys: serverKeys(config, random), clock });
}

async function examineFile(config: Config, random: Random): Promise<Finding[]> {
  const forgotten = forgottenDatabase(config);
  if (forgotten === null) return examineStoreIn(config, random);
  const { what, remedy, isFault } = forgotten;
  // Where nobody is in it, nothing else is to be said of a file that nobody means.
  if (isFault) return [fault(LEFT, what, remedy)];
  return [warning(LEFT, what, remedy), ...(await examineStoreIn(config, random))];
}

async function examineStoreIn(config: Config, random: Random): Promise<Finding[]> {
  const { dataDir } = config;
  if (!hasDatabase(dataDir)) return [missingStore(dataDir)];
  const closed = closedFile(dataDir, FILES_IN_USE);
  if (closed !== null) return [unreadable(dataDir, closed)];
  try {
    const keys = readKeys(config, random);
    const store = inspectStore(dataDir, keys === null ? [] : auditKeysOf(keys));
    try {
      return await examineOpened(config, store, keys);
    } finally {
      await store.close();
    }
  } catch (error) {
    return [unreadable(dataDir, faultWords(error))];
  }
}

/** A backup helps only where the content is damaged: the words of the fault say so. */
function unreadable(dataDir: string, { what, remedy }: FaultWords): Finding {
  const advice = asSentence(remedy ?? LOOK_AGAIN);
  return fault('store.open', `The store in ${dataDir} can't be read: ${what}.`, advice);
}

/** An empty folder is as a set-up leaves it. In any other one a store was lost, or never was. */
function missingStore(dataDir: string): Finding {
  if (isEmpty(dataDir)) {
    const what = `${dataDir} is empty: the first start makes a store in it.`;
    return warning(
      'store.open',
      what,
      'If the service has run before, set DATA_DIR to its folder.',
    );
  }
  const what = `There is no store in ${dataDir} yet.`;
  return fault('store.open', what, 'Set DATA_DIR to that of the service, or start it once.');
}

const isEmpty = (folder: string) => existsSync(folder) && readdirSync(folder).length === 0;

/** Null when the key that the folder should have is not there; nothing makes one here. */
function readKeys(config: Config, random: Random): ServerKeys | null {
  const isMissing = config.secretKey === null && !hasSecretKey(config.dataDir);
  return isMissing ? null : serverKeys(config, random);
}

async function examineOpened(
  config: Config,
  store: FileInspection,
  keys: ServerKeys | null,
): Promise<Finding[]> {
  const integrity = integrityOf(store);
  const schema = examineSchema(await store.schema(), ADVICE.older);
  const findings = [ok('store.open', `${store.file} can be read.`), schema, integrity];
  // The statements are for the schema of this version.
  if (schema.severity !== 'ok' || integrity.severity !== 'ok') return findings;
  const content = await examineContent(config, store, keys, ADVICE.otherwise);
  // Of a key that is not of this store nothing more is to be said.
  const isKnown = content.some(({ check, severity }) => check === 'store.key' && severity === 'ok');
  const writers = keys === null || !isKnown ? '' : fileWriterWithOther(config, keys.current);
  return [...findings, ...content, ...examineWriters(writers)];
}

function integrityOf(store: FileInspection): Finding {
  const found = store.integrity();
  return found === 'ok'
    ? ok('store.integrity', 'SQLite finds the file whole.')
    : fault('store.integrity', `The file is damaged: ${found}.`, RESTORE);
}
