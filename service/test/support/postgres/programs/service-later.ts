// The service as a later version has it: with more migrations after those of this one.

import { runService } from '../../../../src/main.ts';
import { MIGRATIONS } from '../../../../src/store/postgres/migrations/migrate.ts';
import { LATER_ADDITIONS } from '../later-additions.ts';

for (const migration of LATER_ADDITIONS) {
  Object.assign(MIGRATIONS, { [MIGRATIONS.length]: migration });
}
await runService();
