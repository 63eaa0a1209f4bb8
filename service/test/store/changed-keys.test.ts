import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteService, openSqliteStore } from '../../src/store/index.ts';
import { sampleAttempt } from '../conformance/samples.ts';
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

test('what has begun is written when a file is settled', async () => {
  const directory = temporaryFolder('settled');
  const { store, settled } = await openSqliteService({ directory, onPoisoned: () => undefined });
  onTestFinished(() => store.close());
  const begun = store.insertAttempt(sampleAttempt());
  await settled();
  using database = new DatabaseSync(join(directory, 'miftah.db'), { readOnly: true });
  expect(database.prepare('SELECT count(*) AS count FROM attempts').get()).toEqual({ count: 1 });
  await begun;
});
