// Migrates a file as a later version does: with one more migration.
// Arguments: the file, the migration as JSON.

import process from 'node:process';
import type { Migration } from '../../../../src/store/sql/migration.ts';
import { migrate, MIGRATIONS } from '../../../../src/store/sqlite/migrations/migrate.ts';

const [, , file = '', later = ''] = process.argv;

Object.assign(MIGRATIONS, { [MIGRATIONS.length]: JSON.parse(later) as Migration });
migrate(file);
