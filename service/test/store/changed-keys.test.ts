import { openSqliteStore } from '../../src/store/index.ts';
import { changedKeyTests } from '../conformance/store-changed-keys.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { testVault } from '../support/store/open-stores.ts';

changedKeyTests(async () => {
  const directory = temporaryFolder('changed-keys');
  return {
    under: (...keys) =>
      openSqliteStore({ directory, vault: testVault(...keys), onPoisoned: () => undefined }),
  };
});
