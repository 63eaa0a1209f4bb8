// Opens the store in the given directory, prints that it is open, and keeps it open until killed.

import { openSqliteStore } from '../../../../src/store/index.ts';

const [directory = ''] = process.argv.slice(2);
await openSqliteStore({ directory, onPoisoned: () => undefined });
process.stdout.write('open\n');
process.stdin.resume();
