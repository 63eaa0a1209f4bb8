/**
 * The thread that writes for this process. It waits for commits, so that requests are answered
 * meanwhile; a migration at the start and reads are made on the main thread. It has few imports,
 * because a thread has a heap of its own. `scripts/bundle-programs.ts` names this file.
 */
import { parentPort } from 'node:worker_threads';
import { serve } from './writer.ts';

if (parentPort === null) throw new Error('the store runs this file as a worker thread');
serve(parentPort);
