import process from 'node:process';

/** How long a test waits for one thing; `npm run planted` has tests fail sooner (vitest.config.ts). */
export const WAIT_MS = Number(process.env['TEST_WAIT_MS'] ?? 120_000);
