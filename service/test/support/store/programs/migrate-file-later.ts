// Migrates a file as a later version does: with one more migration.
// Arguments: the file, the migration as JSON, and the place of the statement before which this
// process kills itself; none: it does not.

import process from 'node:process';
import type { Migration } from '../../../../src/store/sql/migration.ts';
import { migrate, MIGRATIONS } from '../../../../src/store/sqlite/migrations/migrate.ts';

const [, , file = '', written = '', killedBefore = ''] = process.argv;
const later = JSON.parse(written) as Migration;
if (killedBefore !== '') {
  Object.defineProperty(later.statements, killedBefore, {
    get: () => process.kill(process.pid, 'SIGKILL'),
  });
}

Object.assign(MIGRATIONS, { [MIGRATIONS.length]: later });
migrate(file);
