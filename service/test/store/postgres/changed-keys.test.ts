import { changedKeyTests } from '../../conformance/store-changed-keys.ts';
import { emptyDatabase } from '../../support/postgres/databases.ts';
import { openInstance } from '../../support/postgres/instances.ts';
import { testVault } from '../../support/store/open-stores.ts';

changedKeyTests(async () => {
  const url = await emptyDatabase();
  return { under: (...keys) => openInstance(url, { vault: testVault(...keys) }) };
});
