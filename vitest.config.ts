import { availableParallelism } from 'node:os';
import process from 'node:process';
import { defineConfig } from 'vitest/config';
import { startsBundledThread } from './scripts/bundle-programs.ts';
import { COMPILE_CACHE } from './scripts/compile-cache.mjs';
import { EvenlyMixed } from './scripts/test-order.ts';
import { PROJECTS_OF_RUN } from './scripts/test-projects.ts';
import { isLong } from './scripts/test-length.ts';
import { copiesNewStores } from './scripts/new-stores.ts';

/** Long, because a machine may be slow or busy with other work: only a test that fails waits for it. */
const TEST_TIMEOUT_MS = 300_000;
/**
 * How long a test waits for one thing, in polls and in pages (scripts/browser.ts). `npm run planted`,
 * in which tests are expected to fail, sets a shorter one.
 */
process.env['TEST_WAIT_MS'] ??= '120000';
const POLL = { timeout: Number(process.env['TEST_WAIT_MS']), interval: 20 };

// Each store in a test has a thread of its own, which loads its modules anew. Threads and child
// processes take this setting from the environment.
process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE;

export default defineConfig({
  test: {
    sequence: { sequencer: EvenlyMixed },
    globalSetup: [
      'test/support/global-setup.ts',
      'service/test/support/canaries/global-setup.ts',
      'service/test/support/postgres/global-setup.ts',
      'service/test/planted/support/global-setup.ts',
    ],
    projects: PROJECTS_OF_RUN.map(
      ({ name, files, atLength = [], exclude, globalSetup, pollMs }) => ({
        plugins: [startsBundledThread, copiesNewStores],
        test: {
          name,
          include: [...files, ...(isLong ? atLength : [])],
          exclude: ['**/node_modules/**', 'test/fixtures/**', ...exclude],
          setupFiles: [
            'test/support/rsa-keys.ts',
            'service/test/support/store/threads/kept-threads.ts',
            'service/test/support/store/new-stores.ts',
          ],
          ...(globalSetup === undefined ? {} : { globalSetup: [...globalSetup] }),
          // Measured on two cores: loading the web framework again for every file takes six times as
          // long as the tests themselves, so files share their worker's modules. STYLE.md says what
          // follows from it.
          // Processes, because many tests start programs: a start copies the page tables of the process
          // that starts it, which is 30 ms for each GB, and the threads of a run would share several.
          pool: 'forks' as const,
          isolate: false,
          // Many tests wait: for a program to start, for a browser, or for the disk.
          maxWorkers: 3 * availableParallelism(),
          testTimeout: TEST_TIMEOUT_MS,
          expect: { poll: pollMs === undefined ? POLL : { ...POLL, interval: pollMs } },
          hookTimeout: TEST_TIMEOUT_MS,
          // Stubs and spies that a test leaves behind must not change the next test.
          restoreMocks: true,
          unstubEnvs: true,
          unstubGlobals: true,
        },
      }),
    ),
    coverage: {
      provider: 'v8',
      include: [
        'service/src/**',
        'simulator/src/**',
        'pages/src/**',
        'schema/src/**',
        'contract/src/**',
        'client/src/**',
        'kit/src/**',
      ],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', 'html'],
    },
  },
});
