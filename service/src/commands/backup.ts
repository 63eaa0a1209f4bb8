import {
  readCount,
  recordSuccess,
  type AddCommand,
  type CommandContext,
  type Rotation,
} from './command-context.ts';
import { counted, endedWords, unwrittenHead } from './ended-words.ts';
import { givenReason, REASON, type ReasonOptions } from './reason.ts';
import type { Reason } from '../audit/act.ts';

interface BackupOptions extends Rotation {
  readonly into?: string;
  readonly elsewhere?: true;
}

/** `miftah backup FILE`, `miftah backup --into FOLDER`. */
export const backupCommand: AddCommand = (program, context) => {
  program
    .command('backup')
    .argument('[file]', 'a new file; one that is there is not touched')
    .option('--into <folder>', 'a new file in this folder, of which a restore is tried')
    .option('--daily <count>', 'with --into: of how many days the latest stays', readCount, 7)
    .option('--weekly <count>', 'with --into: of how many weeks the latest stays', readCount, 4)
    .option('--elsewhere', 'makes none, and writes down that another tool has made one')
    .description('copies the store as it stands at one moment, while the service runs or not')
    .action(async (file: string | undefined, { into, elsewhere, ...rotation }: BackupOptions) => {
      const places = [file, into, elsewhere].filter((place) => place !== undefined);
      if (into?.trim() === '') return context.misuse('--into names no folder.');
      if (places.length !== 1) context.misuse(ONE_PLACE);
      else if (file !== undefined) await backUpInto(context, file);
      else if (into !== undefined) await keepBackup(context, into, rotation);
      else await recordSuccess(context, 'backup', { detail: 'elsewhere' });
    });
};

const ONE_PLACE =
  'Say either a file, --into FOLDER or --elsewhere, such as `miftah backup --into backups`.';
const WITHOUT_KEY = 'SECRET_KEY is not in it: keep that elsewhere.';

async function backUpInto(context: CommandContext, file: string): Promise<void> {
  await context.backUp(file);
  context.print(`${file} is a whole copy. ${WITHOUT_KEY}`);
}

async function keepBackup(
  context: CommandContext,
  folder: string,
  rotation: Rotation,
): Promise<void> {
  const { file, rows, removed, warning } = await context.keepBackup(folder, rotation);
  context.print(`${file} is a whole copy, with ${counted(rows, 'row', 'rows')} of the audit log.`);
  context.print(`A restore of it was tried. ${WITHOUT_KEY}`);
  if (removed > 0) context.print(`Removed ${counted(removed, 'earlier one', 'earlier ones')}.`);
  if (warning !== null) context.tell(`Warning: ${warning}.`);
  await recordSuccess(context, 'backup');
}

interface RestoreOptions extends ReasonOptions {
  readonly database?: string;
}

/** `miftah restore FILE | --database NAME`. */
export const restoreCommand: AddCommand = (program, context) => {
  program
    .command('restore')
    .argument('[file]', 'of `miftah backup`')
    .option('--database <name>', 'which pg_restore has restored; only ends what is in it')
    .option(...REASON)
    .description('puts a backup in the place of the store, with no token or sign-in of it good')
    .action(async (file: string | undefined, { database, ...options }: RestoreOptions) => {
      const reason = givenReason(context, options);
      if (reason === undefined) return;
      if (file !== undefined && database === undefined) await restoreFile(context, file, reason);
      else if (file === undefined && database !== undefined) await endIn(context, database, reason);
      else context.misuse(ONE_BACKUP);
    });
};

const ONE_BACKUP =
  'Say either the file of a backup or --database NAME, such as `miftah restore miftah-backup.db`.';

const NO_STORE = {
  nothing: 'There was no store in DATA_DIR.',
  new:
    'The store in DATA_DIR was new, and nothing had happened in it: it is miftah.db.replaced, and ' +
    'nobody needs it.',
} as const;

async function restoreFile(
  context: CommandContext,
  file: string,
  reason: Reason | null,
): Promise<void> {
  const { tokens, attempts, disabled, replaced, erased, ...more } = await context.restore(
    file,
    reason,
  );
  context.print(`Restored ${file}. Ended ${endedWords({ tokens, attempts })} of it.`);
  context.print(
    replaced === 'used'
      ? `Disabled ${counted(disabled, 'person', 'people')} who had been disabled or kept out since. ` +
          'The replaced store is miftah.db.replaced: its audit log has what has happened since the backup.'
      : `${NO_STORE[replaced]} Nobody could be looked up who has been disabled since the backup: ` +
          'disable them again.',
  );
  if (more.skippedTo !== null) context.print(idsWords(more.skippedTo));
  if (erased === null) context.print(ERASED_UNKNOWN);
  else if (erased > 0) {
    const people = counted(erased, 'person', 'people');
    context.print(`Erased ${people} again who had been erased since.`);
  }
  context.print(STREAM);
  if (more.headFault !== null) context.fail(unwrittenHead(more.headFault));
}

const STREAM =
  'A reader of the audit log with --cursor, such as miftah-audit.service, can not go on where the ' +
  'backup lacks its last row: have it begin anew (docs/backup.md, step 4 of Restore).';

/** Without thousands separators, as ids are written everywhere else. */
function idsWords(skippedTo: number): string {
  return (
    `New users get ids above ${skippedTo}: applications may know the ids up to there from the time ` +
    'after the backup, which is not known here. Nothing has to be done; keep ids in 64 bits.'
  );
}

/** The database does it by itself where it is a copy (migration 0010 of PostgreSQL). */
const COUNTED_AGAIN =
  'The first new id may be as far above that number once more, because the database leaves out ids ' +
  'of its own when it finds that it is a copy.';

const ERASED_UNKNOWN =
  'WHO WAS ERASED SINCE THE BACKUP IS IN IT, and can not be found out here: erase these people ' +
  'again, by the list that you keep of them, before the service starts (docs/data-retention.md).';

async function endIn(
  context: CommandContext,
  database: string,
  reason: Reason | null,
): Promise<void> {
  const { tokens, attempts, skippedTo, headFault } = await context.endRestored(database, reason);
  context.print(`Ended ${endedWords({ tokens, attempts })} in the database ${database}.`);
  context.print('Who has been disabled since the backup is not known here: disable them again.');
  if (skippedTo !== null) context.print(`${idsWords(skippedTo)} ${COUNTED_AGAIN}`);
  context.print(ERASED_UNKNOWN);
  context.print(STREAM);
  if (headFault !== null) context.fail(unwrittenHead(headFault));
}
