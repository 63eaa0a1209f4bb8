// Opens the store in the directory that it is given, says so, and holds it until it is killed.

import { openSqliteStore } from '../../../../src/store/index.ts';

const [directory = ''] = process.argv.slice(2);
await openSqliteStore({ directory, onPoisoned: () => undefined });
process.stdout.write('open\n');
process.stdin.resume();
