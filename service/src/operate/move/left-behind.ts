import type { Config } from '../../config/config.ts';
import { peopleLeftIn, StoreOpenError } from '../../store/index.ts';
import type { Store } from '../../store/ports/store.port.ts';

/**
 * A service that is given DATABASE_URL beside a store in DATA_DIR would begin without its people.
 * @returns a warning where the database has been used by itself; null where nobody is left behind
 * @throws StoreOpenError where nothing has ever happened in the database
 */
export async function requireNobodyLeft(
  { database, dataDir }: Pick<Config, 'database' | 'dataDir'>,
  store: Pick<Store, 'auditHead'>,
): Promise<string | null> {
  const people = database === null ? 0 : peopleLeftIn(dataDir);
  if (people === 0) return null;
  const what = `DATABASE_URL is set, and ${dataDir}/miftah.db has people (${people}) who are not in`;
  if ((await store.auditHead()).count > 0) {
    return `${what} that database. If they are of no use any more, move the file away.`;
  }
  throw new StoreOpenError(
    'store.left_behind',
    `${what} that database, which is empty. Run \`miftah move --to DATABASE_URL\` with the ` +
      'settings of this service: it moves them, with their tokens. To begin without them, move the ' +
      'file away.',
  );
}
