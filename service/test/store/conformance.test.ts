import { storeConformance } from '../conformance/store.ts';
import { openMemory, openSqlite, testVault } from '../support/store/open-stores.ts';

// The memory store has a file of its own (memory.test.ts), which is among the fast tests.
storeConformance('SQLite', {
  open: () => openSqlite(),
  openModel: () => openMemory(),
  lasts: true,
  erasesIdentifiers: false,
});
storeConformance('SQLite with a vault', {
  open: () => openSqlite({ vault: testVault(2, 1) }),
  openModel: () => openMemory({ erasesIdentifiers: true }),
  lasts: true,
  erasesIdentifiers: true,
});
