import { workerData } from 'node:worker_threads';
import { migrate } from '../../../../src/store/sqlite/migrations/migrate.ts';

migrate(String(workerData));
