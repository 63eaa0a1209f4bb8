import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Compiled code is kept beside the installed packages: later starts take half the time, and the
 * compiler of TypeScript need not be in memory. Not in the system's folder for temporary files,
 * where somebody else could leave code for us. Threads take the setting from the environment.
 */
const cache = fileURLToPath(new URL('../../node_modules/.cache/miftah', import.meta.url));
process.env['NODE_COMPILE_CACHE'] ??= cache;
enableCompileCache(process.env['NODE_COMPILE_CACHE']);

// Imported only now, because what is imported before the cache is on has no part in it.
const { runService } = await import('./run.ts');
await runService();
