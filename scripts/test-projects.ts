// The vitest projects, divided by what their tests start. `vitest --project NAME` runs one of them.
// A test file belongs to the first project here that matches it.

import process from 'node:process';

export interface TestProject {
  readonly name: string;
  /** Globs from the root of the repository. */
  readonly files: readonly string[];
  /** Files of other projects, which this one runs too where `TEST_LENGTH` is `long`. */
  readonly atLength?: readonly string[];
  /** Run once in the main process, before the project's first test. */
  readonly globalSetup?: readonly string[];
  /** How long `expect.poll` pauses where a question costs more than a pause of 20 ms would have. */
  readonly pollMs?: number;
}

const BUNDLES = 'service/test/support/programs/global-setup.ts';

const IN_ORDER: readonly TestProject[] = [
  {
    /**
     * Clients that need Debian's packages and compilers: of OpenID, which nobody here wrote, and the
     * package of Python; the examples of libraries; and the packages with each Node that is in use.
     * They are no part of `npm test`: `npm run test:clients`.
     */
    name: 'clients',
    files: [
      'service/test/openid/{debian-clients,laravel}.test.ts',
      'service/test/client/python.test.ts',
      'service/test/auth-libraries/*.test.ts',
      'test/packages-nodes.test.ts',
    ],
    globalSetup: [BUNDLES, 'test/support/chromium/global-setup.ts'],
  },
  {
    /**
     * What takes long, and has a short version or a smaller relative in `npm test`, of which it is no
     * part: `npm run test:long`.
     */
    name: 'long',
    files: [
      'deploy/test/going-live/steps.test.ts',
      'deploy/test/image/{compose,image,init,kubernetes,live}.test.ts',
      'deploy/test/prometheus/{fired,thresholds}.test.ts',
      'deploy/test/release/{debian,same-bytes}.test.ts',
      'deploy/test/systemd/{admin,booted,instances,two-machines}.test.ts',
      'deploy/test/upgrade/{page-steps,roll-back}.test.ts',
      'service/test/e2e/{firefox,roll-outs}.test.ts',
      'site/test/{browser,build}.test.ts',
      'test/cut-release.test.ts',
      'test/packages-{installed,published}.test.ts',
    ],
    atLength: [
      'console/test/{list,manners,rooms,time-line}.test.ts',
      'generators/test/generated.test.ts',
      'pages/test/{accessibility,browser}.test.ts',
      'service/test/e2e/{browser,console,console-rooms,lan,lan-console,many-tabs,openid,phone,phone-elsewhere,reader,trial,web-example}.test.ts',
      'service/test/e2e/{crash,damage,npm-scripts,oldest-browsers,openid-keys,openid-kills,postgres-keys,postgres-kills,postgres-schema,stop,webhooks-kills}.test.ts',
      'service/test/client/{docs,pages,promises}.test.ts',
      'service/test/element/{accessibility,clock,connection}.test.ts',
      'service/test/live/{demo,keys-again}.test.ts',
      'service/test/api/client-commands.test.ts',
      'service/test/openid/tried-clients.test.ts',
      'service/test/provider/against.test.ts',
      'service/test/store/{conformance,log-damage}.test.ts',
      'service/test/store/postgres/{batch-faults,conformance,coordination,killed-moves,plans,poolers}.test.ts',
      'service/test/e2e/move-many.test.ts',
      'service/test/threats/{back-end-logins,clock,input,kept-out,log,onward-hosts,operator-browser,redemptions,refused-tokens,shared-heads,sibling-hosts}.test.ts',
      'simulator/test/{chromium,main}.test.ts',
    ],
    globalSetup: [
      BUNDLES,
      'test/support/chromium/global-setup.ts',
      'deploy/test/support/release/global-setup.ts',
      'deploy/test/support/image/global-setup.ts',
    ],
  },
  {
    /**
     * Tests of what is installed: releases, the image, units, proxies, alerts. They start the programs
     * of a release, and programs of Debian.
     */
    name: 'deploy',
    // The texts of the proxies' files need none of these: they are `fast`.
    files: ['deploy/test/**/!(texts).test.ts'],
    // A question starts a program on another machine.
    pollMs: 100,
    globalSetup: [
      BUNDLES,
      'deploy/test/support/release/global-setup.ts',
      'deploy/test/support/image/global-setup.ts',
    ],
  },
  {
    /** Tests with Chromium. They share one, and each test has its own context. */
    name: 'browser',
    files: [
      'pages/test/{accessibility,browser}.test.ts',
      'service/test/e2e/{browser,console,console-rooms,direction,many-tabs,oldest-browsers,openid,openid-logout,openid-single-sign-on,phone,phone-elsewhere,reader,trial,typed-numbers,web-example,web-example-https}.test.ts',
      'service/test/e2e/lan*.test.ts',
      'service/test/element/**/*.test.ts',
      'service/test/client/pages.test.ts',
      'service/test/openid/*.test.ts',
      'service/test/live/one-application.test.ts',
      'service/test/threats/{back-end-logins,back-end-tokens,console,foreign-pages,native-returns,onward-hosts,operator-browser,pages,sibling-hosts,two-browsers}.test.ts',
      'simulator/test/chromium.test.ts',
      'console/test/*.test.ts',
    ],
    globalSetup: [BUNDLES, 'test/support/chromium/global-setup.ts'],
    // A question passes three processes to the page and back.
    pollMs: 40,
  },
  {
    /** Tests of the real programs as processes of their own, and attacks on a service from outside. */
    name: 'programs',
    files: [
      'service/test/{client,e2e,live,threats}/**/*.test.ts',
      'service/test/docs/readme-snippet.test.ts',
      'service/test/planted/runner.test.ts',
      'service/test/store/processes.test.ts',
      'simulator/test/main.test.ts',
      'test/{packages,setup,versions}.test.ts',
    ],
    globalSetup: [BUNDLES],
  },
  {
    /**
     * Tests that start nothing: of functions, the store in memory, documents, and the rules of the
     * sources.
     */
    name: 'fast',
    files: [
      '{service,simulator,pages,schema,contract,client,kit,console,bench}/src/**/*.test.ts',
      'deploy/test/proxies/texts.test.ts',
      'site/*.test.ts',
      'site/content/*.test.ts',
      // The documents of the API and of the metrics are checked against a running service.
      'service/test/docs/!(api-doc|dashboard).test.ts',
      'service/test/planted/*.test.ts',
      'service/test/store/memory.test.ts',
      'test/**/*.test.ts',
    ],
  },
  {
    /** All other tests: with a whole service, simulator or store inside the test's process. */
    name: 'service',
    files: ['{service,simulator,pages,schema,contract,client,kit,bench,generators}/**/*.test.ts'],
    globalSetup: [BUNDLES],
  },
];

/** `exclude` contains the files of earlier projects. */
export const TEST_PROJECTS = IN_ORDER.map((project, place) => ({
  ...project,
  exclude: IN_ORDER.slice(0, place).flatMap(({ files }) => files),
}));

/** What `npm test` runs as one: a worker of vitest loads all modules anew for each project. */
const AS_ONE: ReadonlySet<string> = new Set(['browser', 'programs', 'service', 'fast']);

/** The projects of this run of vitest. */
export const PROJECTS_OF_RUN = process.env['TEST_RUN'] === 'whole' ? wholeRun() : TEST_PROJECTS;

/** The projects of `npm test`. `deploy` stays by itself: it asks less often, and loads little. */
export function wholeRun(): typeof TEST_PROJECTS {
  const merged = TEST_PROJECTS.filter(({ name }) => AS_ONE.has(name));
  const globalSetup = new Set(merged.flatMap((project) => project.globalSetup ?? []));
  return [
    ...TEST_PROJECTS.filter(({ name }) => name === 'deploy'),
    {
      name: 'whole',
      files: merged.flatMap(({ files }) => files),
      exclude: merged[0]?.exclude ?? [],
      globalSetup: [...globalSetup],
      pollMs: 40,
    },
  ];
}
