import { storeConformance } from '../conformance/store.ts';
import { openMemory, openSqlite, testVault } from './open-stores.ts';

const inTheClear = { openModel: () => openMemory(), erasesIdentifiers: false };
const openErasing = () => openMemory({ erasesIdentifiers: true });

storeConformance('memory', { ...inTheClear, open: () => openMemory(), lasts: false });
storeConformance('SQLite', { ...inTheClear, open: () => openSqlite(), lasts: true });
storeConformance('SQLite with a vault', {
  open: () => openSqlite({ vault: testVault(2, 1) }),
  openModel: openErasing,
  lasts: true,
  erasesIdentifiers: true,
});
storeConformance('memory that erases identifiers', {
  open: openErasing,
  openModel: openErasing,
  lasts: false,
  erasesIdentifiers: true,
});
