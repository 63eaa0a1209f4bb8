// The projects of vitest, by what their tests start. `vitest --project NAME` runs one of them.
// A test file belongs to the first project here that names it.

export interface TestProject {
  readonly name: string;
  /** Globs from the root of the repository. */
  readonly files: readonly string[];
  /** In the main process, once, before the project's first test. */
  readonly globalSetup?: string;
}

const IN_ORDER: readonly TestProject[] = [
  {
    /** Chromium. They share one, and each test has a context of its own. */
    name: 'browser',
    files: [
      'pages/test/{accessibility,browser,direction}.test.ts',
      'service/test/e2e/{browser,direction,reader,trial}.test.ts',
      'service/test/live/one-application.test.ts',
      'service/test/threats/{foreign-pages,pages,sibling-hosts,two-browsers}.test.ts',
      'simulator/test/chromium.test.ts',
    ],
    globalSetup: 'test/support/chromium/global-setup.ts',
  },
  {
    /** The real programs, as processes of their own; and attacks on them from outside. */
    name: 'programs',
    files: [
      'service/test/{e2e,live,threats}/**/*.test.ts',
      'service/test/docs/readme-snippet.test.ts',
      'service/test/planted/runner.test.ts',
      'service/test/store/processes.test.ts',
      'simulator/test/main.test.ts',
      'test/setup.test.ts',
    ],
  },
  {
    /** Functions, the memory store, documents, and the rules of the sources: nothing is started. */
    name: 'fast',
    files: [
      '{service,simulator,pages,schema,bench}/src/**/*.test.ts',
      // The documents of the API are held against a service that answers.
      'service/test/docs/!(api-doc).test.ts',
      'service/test/planted/*.test.ts',
      'service/test/store/memory.test.ts',
      'test/**/*.test.ts',
    ],
  },
  {
    /** The rest: a whole service, simulator or store in the process of the test. */
    name: 'service',
    files: ['{service,simulator,pages,schema,bench}/**/*.test.ts'],
  },
];

/** `exclude` has what earlier projects have named. */
export const TEST_PROJECTS = IN_ORDER.map((project, place) => ({
  ...project,
  exclude: IN_ORDER.slice(0, place).flatMap(({ files }) => files),
}));
