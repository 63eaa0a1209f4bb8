// Opens the store, prints whether it contains the attempt with this id, and keeps the store open
// until its input ends.

import { parseAttemptId } from '../../../../src/values/ids.ts';
import { openSqliteStore } from '../../../../src/store/index.ts';

const [directory = '', id = ''] = process.argv.slice(2);
const attemptId = parseAttemptId(id);
if (attemptId === null) throw new Error(`${id} is no attempt id`);
const store = await openSqliteStore({ directory, onPoisoned: () => undefined });
process.stdout.write((await store.findAttempt(attemptId)) === null ? 'missing\n' : 'found\n');
process.stdin.resume().once('end', () => void store.close());
