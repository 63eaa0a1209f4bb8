/** A thread that is the writing thread of one store after the other: see keep-threads.ts. */
import { parentPort, type MessagePort } from 'node:worker_threads';
import { serve } from '../../../../src/store/sqlite/thread/writer.ts';

parentPort?.on('message', (port: MessagePort) => serve(port));
