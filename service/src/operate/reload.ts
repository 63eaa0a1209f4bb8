import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { secretsForNextStart } from '../config/source/reread.ts';
import { wordsOf } from '../errors/fault-words.ts';
import { AuthoritiesFileError, ExtraAuthorities } from '../platform/files/authorities-file.ts';
import { ClientsFileError } from '../platform/files/clients-file.ts';
import type { DatabasePassword } from '../store/postgres/connections/database-password.ts';

/** What was read again, and is not used yet. */
export interface Change {
  /** The settings that something else was read for. */
  readonly settings: readonly string[];
  /**
   * Changes, step by step, what all instances with one store have to change together. Comes before
   * every `use`: where another instance hinders it, nothing of the reload is used.
   * @throws Error by rejection
   */
  readonly changeAmongInstances?: () => Promise<void>;
  /** For the log. */
  readonly note?: string;
  /** Where the change is written down before it is used, and not used if that fails. */
  readonly record?: () => Promise<void>;
  readonly use: () => void;
}

/** @throws Error for what can't be used */
export type Reread = () => Change;

interface ReloadOptions {
  readonly config: Pick<Config, 'secretFiles' | 'simulatorToken' | 'operator' | 'authoritiesFile'>;
  readonly logger: Logger;
  /** Null where the store is a file. */
  readonly databasePassword: DatabasePassword | null;
  /** Of the mode. They are used last: their connections look at the authorities. */
  readonly rereads: readonly Reread[];
  /** For the log: what has changed in the file of settings, and is read at a start alone. */
  readonly forNextStart?: () => readonly string[];
  /** Why the store does not answer, and what to do; null where it does. */
  readonly storeFault?: () => string | null;
}

/**
 * What a SIGHUP does. Everything is read before anything is used, so that a fault anywhere changes
 * nothing. Never rejects. One reload follows the other, so that the latest files count.
 */
export function reloadOf(options: ReloadOptions): () => Promise<void> {
  const { config, logger, forNextStart = () => [], storeFault = () => null } = options;
  const rereads = [...commonRereads(options), ...options.rereads];
  let last = Promise.resolve();
  const reload = async () => {
    for (const warning of [...forNextStart(), ...secretsForNextStart(config)]) logger.warn(warning);
    if (rereads.length === 0) {
      return logger.info('nothing is read anew: no file that SIGHUP reads is set');
    }
    const changes = readAll(rereads, logger);
    if (changes !== null) await useChanges(changes, logger, storeFault);
  };
  return () => (last = last.then(reload));
}

function commonRereads({ config, databasePassword }: ReloadOptions): readonly Reread[] {
  const authorities =
    config.authoritiesFile === null ? null : new ExtraAuthorities(config.authoritiesFile);
  return [
    ...(databasePassword?.isInFile === true ? [rereadOne('DATABASE_URL', databasePassword)] : []),
    ...(authorities === null ? [] : [rereadOne('NODE_EXTRA_CA_CERTS', authorities)]),
  ];
}

/** What one setting is read for. */
interface Readable {
  /** @throws Error for what can't be used */
  reread(): { readonly isOther: boolean; readonly use: () => void };
}

function rereadOne(setting: string, readable: Readable): Reread {
  return () => {
    const { isOther, use } = readable.reread();
    return { settings: isOther ? [setting] : [], use: isOther ? use : () => undefined };
  };
}

/** Null when something can't be used, which is told. */
function readAll(rereads: readonly Reread[], logger: Logger): readonly Change[] | null {
  const changes: Change[] = [];
  const reasons: string[] = [];
  for (const reread of rereads) {
    try {
      changes.push(reread());
    } catch (error) {
      if (!isOfFile(error)) {
        logger.error({ err: error }, 'everything stays as it was');
        return null;
      }
      reasons.push(error.message);
    }
  }
  if (reasons.length === 0) return changes;
  const reason = reasons.join('\n');
  logger.error({ reason }, 'everything stays as it was');
  return null;
}

/**
 * Whoever has written a file with a fault needs its place in the file, and none in the program.
 */
const isOfFile = (error: unknown): error is Error =>
  error instanceof ClientsFileError ||
  error instanceof ConfigError ||
  error instanceof AuthoritiesFileError;

/**
 * The clients are used only after their rows of the audit log are written. Everything else is used
 * before that, because the store may be reached only with the new password.
 */
async function useChanges(
  changes: readonly Change[],
  logger: Logger,
  storeFault: () => string | null,
): Promise<void> {
  try {
    for (const { changeAmongInstances } of changes) await changeAmongInstances?.();
  } catch (error) {
    return logger.error({ reason: wordsOf(error) }, 'everything stays as it was');
  }
  for (const { note } of changes) if (note !== undefined) logger.warn(note);
  const used = new Set<Change>();
  const tellUsed = () => {
    const settings = changes.flatMap((change) => (used.has(change) ? change.settings : []));
    logger.info({ settings }, 'read anew what may change while the service runs');
  };
  try {
    const isRecorded = ({ record }: Change) => record !== undefined;
    const recorded = changes.filter(isRecorded);
    for (const change of [...changes.filter((one) => !isRecorded(one)), ...recorded]) {
      if (change.record !== undefined) await change.record();
      change.use();
      used.add(change);
    }
    tellUsed();
  } catch (error) {
    // The next reload finds no change any more in what is used.
    if ([...used].some(({ settings }) => settings.length > 0)) tellUsed();
    const reason = storeFault();
    const why = reason === null ? { err: error } : { reason };
    logger.error(why, 'the clients stay as they were');
  }
}
