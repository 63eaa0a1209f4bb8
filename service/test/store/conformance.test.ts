import { atLength } from '../../../scripts/test-length.ts';
import { storeConformance } from '../conformance/store.ts';
import { openModel, openSqlite, testVault } from '../support/store/open-stores.ts';

// The memory store is tested in memory.test.ts, which belongs to the fast tests.
storeConformance('SQLite', {
  open: () => openSqlite(),
  openModel: () => openModel(),
  lasts: true,
  erasesIdentifiers: false,
});

/** `npm test` has a vault on PostgreSQL. */
function withVault(): void {
  storeConformance('SQLite with a vault', {
    open: () => openSqlite({ vault: testVault(2, 1) }),
    openModel: () => openModel({ erasesIdentifiers: true }),
    lasts: true,
    erasesIdentifiers: true,
  });
}
atLength(withVault, () => undefined)();
