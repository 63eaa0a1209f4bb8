import { afterAll } from 'vitest';
import { atLength } from '../../../../scripts/test-length.ts';
import { storeConformance } from '../../conformance/store.ts';
import { postgresStores } from '../../support/postgres/store.ts';
import { openModel, testVault } from '../../support/store/open-stores.ts';

const plain = { openModel: () => openModel(), lasts: true, erasesIdentifiers: false } as const;
const sealed = {
  openModel: () => openModel({ erasesIdentifiers: true }),
  lasts: true,
  erasesIdentifiers: true,
} as const;
const VAULT = { vault: testVault(2, 1) };

storeConformance('three instances on PostgreSQL with a vault', {
  ...sealed,
  open: postgresStores(3, afterAll, VAULT),
});

function others(): void {
  storeConformance('PostgreSQL', { ...plain, open: postgresStores(1, afterAll) });
  storeConformance('PostgreSQL with a vault', {
    ...sealed,
    open: postgresStores(1, afterAll, VAULT),
  });
  storeConformance('three instances on PostgreSQL', {
    ...plain,
    open: postgresStores(3, afterAll),
  });
}
atLength(others, () => undefined)();
