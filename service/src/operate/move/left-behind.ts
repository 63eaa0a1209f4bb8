import type { Config } from '../../config/config.ts';
import { peopleLeftIn, StoreOpenError } from '../../store/index.ts';
import type { Store } from '../../store/ports/store.port.ts';

/** People in the file of DATA_DIR, whom the database of DATABASE_URL does not have. */
interface LeftBehind {
  readonly what: string;
  readonly remedy: string;
  /** Whether nothing has ever happened in the database, so that they are meant to be in it. */
  readonly isFault: boolean;
}

/**
 * A service that is given DATABASE_URL beside a store in DATA_DIR would begin without its people.
 * @param rowsIn the number of rows of the audit log that the database has
 * @returns null where nobody is left behind
 */
export async function leftBehind(
  { database, dataDir }: Pick<Config, 'database' | 'dataDir'>,
  rowsIn: () => Promise<number>,
): Promise<LeftBehind | null> {
  const people = database === null ? 0 : peopleLeftIn(dataDir);
  if (people === 0) return null;
  const what = `DATABASE_URL is set, and ${dataDir}/miftah.db has people (${people}) who are not in that database`;
  if ((await rowsIn()) > 0) {
    const remedy = 'If they are of no use any more, move the file away.';
    return { what: `${what}.`, remedy, isFault: false };
  }
  const remedy =
    'Run `miftah move --to DATABASE_URL` with the settings of this service: it moves them, with ' +
    'their tokens. To begin without them, move the file away.';
  return { what: `${what}, which is empty.`, remedy, isFault: true };
}

/**
 * @returns a warning where the database has been used by itself; null where nobody is left behind
 * @throws StoreOpenError where nothing has ever happened in the database
 */
export async function requireNobodyLeft(
  config: Pick<Config, 'database' | 'dataDir'>,
  store: Pick<Store, 'auditHead'>,
): Promise<string | null> {
  const left = await leftBehind(config, async () => (await store.auditHead()).count);
  if (left === null) return null;
  const words = `${left.what} ${left.remedy}`;
  if (left.isFault) throw new StoreOpenError('store.left_behind', words);
  return words;
}
