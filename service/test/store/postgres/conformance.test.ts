import { storeConformance } from '../../conformance/store.ts';
import { openInstances, openPostgres } from '../../support/postgres/store.ts';
import { openMemory, testVault } from '../../support/store/open-stores.ts';

storeConformance('PostgreSQL', {
  open: () => openPostgres(),
  openModel: () => openMemory(),
  lasts: true,
  erasesIdentifiers: false,
});
storeConformance('PostgreSQL with a vault', {
  open: () => openPostgres({ vault: testVault(2, 1) }),
  openModel: () => openMemory({ erasesIdentifiers: true }),
  lasts: true,
  erasesIdentifiers: true,
});
storeConformance('three instances on PostgreSQL', {
  open: () => openInstances(3),
  openModel: () => openMemory(),
  lasts: true,
  erasesIdentifiers: false,
});
