/**
 * The only writer of the database file, in its own thread. It waits for the disk, so that the
 * thread with the requests never does. It has few imports, because a thread has a heap of its own.
 */
import { parentPort } from 'node:worker_threads';
import { serve } from './writer.ts';

if (parentPort === null) throw new Error('the store runs this file as a worker thread');
serve(parentPort);
