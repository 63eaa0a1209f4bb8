import { afterAll } from 'vitest';
import { atLength } from '../../../../scripts/test-length.ts';
import { storeConformance } from '../../conformance/store.ts';
import { postgresStores } from '../../support/postgres/store.ts';
import { openModel, testVault } from '../../support/store/open-stores.ts';

const plain = { openModel: () => openModel(), lasts: true, erasesIdentifiers: false } as const;

storeConformance('three instances on PostgreSQL', { ...plain, open: postgresStores(3, afterAll) });

/** What is stored and asked is the same: SQLite has a vault in each run. */
function others(): void {
  storeConformance('PostgreSQL', { ...plain, open: postgresStores(1, afterAll) });
  storeConformance('PostgreSQL with a vault', {
    open: postgresStores(1, afterAll, { vault: testVault(2, 1) }),
    openModel: () => openModel({ erasesIdentifiers: true }),
    lasts: true,
    erasesIdentifiers: true,
  });
}
atLength(others, () => undefined)();
