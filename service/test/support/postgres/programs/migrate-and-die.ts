// Migrates databases, each until it has sent a given number of statements, and kills itself when the
// last of each is on its way and not answered yet (migrations.test.ts). One process for all of them:
// a start of one takes most of the time. Arguments: pairs of a URL and a number.

import process from 'node:process';
import { migratePostgres } from '../../../../src/store/postgres/migrations/migrate.ts';
import { withConnection } from '../connection.ts';

const [, , ...args] = process.argv;
const places = args.flatMap((url, index) =>
  index % 2 === 0 ? [{ url, count: Number(args[index + 1]) }] : [],
);
const lastStatements: (() => void)[] = [];

function dieTogether(sendLast: () => void): void {
  lastStatements.push(sendLast);
  if (lastStatements.length < places.length) return;
  for (const send of lastStatements) send();
  // In the next turn, when the statements are on their way.
  setImmediate(() => process.kill(process.pid, 'SIGKILL'));
}

await Promise.all(
  places.map(({ url, count }) => {
    let left = count;
    return withConnection(url, (connection) =>
      migratePostgres({
        query: async (call) => {
          left -= 1;
          if (left > 0) return connection.query(call);
          dieTogether(() => void connection.query(call).catch(() => undefined));
          return new Promise(() => undefined);
        },
      }),
    );
  }),
);
