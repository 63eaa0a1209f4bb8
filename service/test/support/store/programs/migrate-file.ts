import { workerData } from 'node:worker_threads';
import { migrate } from '../../../../src/store/migrations/migrate.ts';

migrate(String(workerData));
