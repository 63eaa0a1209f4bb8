import { afterAll } from 'vitest';
import { storeConformance } from '../../conformance/store.ts';
import { postgresStores } from '../../support/postgres/store.ts';
import { openModel, testVault } from '../../support/store/open-stores.ts';

storeConformance('PostgreSQL', {
  open: postgresStores(1, afterAll),
  openModel: () => openModel(),
  lasts: true,
  erasesIdentifiers: false,
});
storeConformance('PostgreSQL with a vault', {
  open: postgresStores(1, afterAll, { vault: testVault(2, 1) }),
  openModel: () => openModel({ erasesIdentifiers: true }),
  lasts: true,
  erasesIdentifiers: true,
});
storeConformance('three instances on PostgreSQL', {
  open: postgresStores(3, afterAll),
  openModel: () => openModel(),
  lasts: true,
  erasesIdentifiers: false,
});
