import { expect, test } from 'vitest';
import { migratedInMemory } from '../../src/store/sqlite/migrations/migrate.ts';
import { storeConformance } from '../conformance/store.ts';
import { openMemory, openModel } from '../support/store/open-stores.ts';

const openErasing = () => openModel({ erasesIdentifiers: true });

storeConformance('memory', {
  open: openMemory,
  openModel: () => openModel(),
  lasts: false,
  erasesIdentifiers: false,
});
storeConformance('the model', {
  open: () => openModel(),
  openModel: () => openModel(),
  lasts: false,
  erasesIdentifiers: false,
  isModel: true,
});
storeConformance('the model that erases identifiers', {
  open: openErasing,
  openModel: openErasing,
  lasts: false,
  erasesIdentifiers: true,
  isModel: true,
});

test('SQLite in memory has no file, also for what it sorts, and keeps the references', () => {
  const database = migratedInMemory();
  const settingOf = (name: string) => database.prepare(`PRAGMA ${name}`).get()?.[name];
  expect(database.location()).toBeNull();
  expect(settingOf('temp_store')).toBe(2);
  expect(settingOf('foreign_keys')).toBe(1);
  database.close();
});
