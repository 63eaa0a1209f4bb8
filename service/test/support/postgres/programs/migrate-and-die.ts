// Migrates a database and kills itself when it has sent a given number of statements, the last of
// which is not answered yet (migrations.test.ts). Arguments: the URL, the number.

import process from 'node:process';
import { migratePostgres } from '../../../../src/store/postgres/migrations/migrate.ts';
import { withConnection } from '../connection.ts';

const [, , url = '', count = ''] = process.argv;
let left = Number(count);

await withConnection(url, (connection) =>
  migratePostgres({
    query: async (call) => {
      left -= 1;
      if (left > 0) return connection.query(call);
      void connection.query(call).catch(() => undefined);
      // In the next turn, when the statement is on its way.
      setImmediate(() => process.kill(process.pid, 'SIGKILL'));
      return new Promise(() => undefined);
    },
  }),
);
