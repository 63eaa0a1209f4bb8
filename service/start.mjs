/**
 * Starts the service with its compiled code kept beside the installed packages: later starts take
 * half the time, and the compiler of TypeScript need not be in memory. This file is JavaScript,
 * and imports the rest only when the cache is on, because what comes before it has no part in it.
 */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Not the system's folder for temporary files, where somebody else could leave code for us.
const cache = fileURLToPath(new URL('../node_modules/.cache/miftah', import.meta.url));

// Threads take the setting from the environment.
process.env['NODE_COMPILE_CACHE'] ??= cache;
enableCompileCache(process.env['NODE_COMPILE_CACHE']);

const { listenWhileStarting } = await import('./src/platform/start-signals.ts');
const startSignals = listenWhileStarting();
const { runService } = await import('./src/main.ts');
await runService({ startSignals });
