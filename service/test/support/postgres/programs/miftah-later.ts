// `npx miftah` as a later version has it: with more migrations after those of this one.
// Arguments: these migrations as JSON, and then those of the command.

import process from 'node:process';
import { runCommand } from '../../../../src/cli.ts';
import type { Migration } from '../../../../src/store/sql/migration.ts';
import { MIGRATIONS } from '../../../../src/store/postgres/migrations/migrate.ts';

const [, , later = '[]', ...args] = process.argv;

for (const migration of JSON.parse(later) as readonly Migration[]) {
  Object.assign(MIGRATIONS, { [MIGRATIONS.length]: migration });
}
await runCommand(args, process.env);
