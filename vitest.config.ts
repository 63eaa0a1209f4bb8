import { defineConfig } from 'vitest/config';

const TEST_TIMEOUT_MS = 30_000;

export default defineConfig({
  test: {
    include: ['{service,simulator,pages,schema,bench,test}/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/fixtures/**'],
    globalSetup: ['test/support/global-setup.ts', 'service/test/support/canaries/global-setup.ts'],
    // Measured on two cores: loading the web framework anew for every file takes six times as long
    // as the tests themselves, so the files share their workers' modules. STYLE.md says what follows.
    pool: 'threads',
    isolate: false,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    // A test that leaves a stub or a spy behind must not change the next one.
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    coverage: {
      provider: 'v8',
      include: ['service/src/**', 'simulator/src/**', 'pages/src/**', 'schema/src/**'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', 'html'],
    },
  },
});
