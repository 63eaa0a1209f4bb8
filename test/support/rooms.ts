// Which file may import which. Every source file belongs to the first room that contains it, and
// may import only what the room lists. In the lists a name ending with `/` or `:` means everything
// that begins with it; any other name means only itself.

export type Room = {
  readonly name: string;
  readonly holds: RegExp;
  readonly may: readonly string[];
  /** What may only be imported by `import type`. */
  readonly mayNameTypesOf?: readonly string[];
  readonly because: string;
};

/** Any published package. Another check verifies that package.json declares it. */
export const ANY_LIBRARY = 'any library';

const DOMAIN = 'service/src/domain/';
const PORTS = 'service/src/ports/';
const FLOW = 'service/src/flow/';
const STORE_SHARED = 'service/src/store/shared/';
const STORE_FAULT = 'service/src/store/store-fault.ts';
const PAGES = ['@miftah/pages', '@miftah/pages/'];
const SCHEMA = ['@miftah/schema', '@miftah/schema/'];
const CONTRACT = ['@miftah/contract', '@miftah/contract/'];
/** Its files without schemas: what the domain may know of the wire. */
const CONTRACT_VALUES = [
  '@miftah/contract/errors',
  '@miftah/contract/typed-digits',
  '@miftah/contract/uuid',
  '@miftah/contract/values',
];
const SIMULATOR = ['@miftah/simulator', '@miftah/simulator/'];
const CLIENT = ['@miftah/client', '@miftah/client/'];

/** What every room of the flows uses. */
const FLOW_SHARED = [
  'find-attempt.ts',
  'held-spoils.ts',
  'report.ts',
  'repeated-events.ts',
  'services.ts',
].map((file) => FLOW + file);

function flowRoom(name: string): Room {
  return {
    name: `flow-${name}`,
    holds: new RegExp(`^${FLOW}${name}/`),
    may: [`${FLOW}${name}/`, `${FLOW}outcome/`, ...FLOW_SHARED, DOMAIN, PORTS],
    because:
      'the rooms of the flows share how an attempt ends, and know nothing else of each other',
  };
}

const SERVICE_ROOMS: readonly Room[] = [
  {
    name: 'conformance',
    holds: /^service\/test\/conformance\//,
    may: [PORTS, DOMAIN, 'service/test/conformance/', 'vitest', 'fast-check'],
    because: 'a conformance suite that knows one adapter cannot hold another one to the contract',
  },
  {
    name: 'service-tests',
    holds: /^service\/(?:test\/|src\/.*\.test\.ts$)/,
    may: [
      'service/',
      'scripts/',
      'simulator/src/main.ts',
      'examples/',
      'console/src/test-ids.ts',
      'console/src/rooms/attempt/copy/',
      'node:',
      ...CLIENT,
      ...CONTRACT,
      ...PAGES,
      ...SCHEMA,
      ...SIMULATOR,
      ANY_LIBRARY,
    ],
    because: 'a test may open every door of its own workspace, and others by their name',
  },
  {
    name: 'main',
    holds: /^service\/(?:src\/main\.ts|start\.mjs)$/,
    may: [
      'service/src/main.ts',
      'service/src/program.ts',
      'service/src/config.ts',
      'service/src/config/describe.ts',
      'service/src/config/flags.ts',
      'service/src/banner.ts',
      'service/src/platform/release-memory.ts',
      'service/src/platform/start-signals.ts',
      'service/src/platform/terminal.ts',
      '@miftah/schema/closed-output',
      'node:',
      'close-with-grace',
    ],
    because: 'main turns arguments and environment into an exit code, and does nothing else',
  },
  {
    name: 'develop',
    holds: /^service\/src\/(develop|start-by-command)\.ts$/,
    may: [
      'service/src/main.ts',
      'service/src/config.ts',
      'service/src/config/flags.ts',
      'service/src/http/context.ts',
      'service/src/platform/parent-process.ts',
      'service/src/platform/start-signals.ts',
      'service/src/program/log.ts',
      'node:',
    ],
    because: 'it runs the same program as main, with a store that is deleted at the end',
  },
  {
    name: 'program',
    holds: /^service\/src\/(?:cli\.ts$|program(?:\.ts$|\/))/,
    may: [
      'service/src/',
      'service/package.json',
      'node:',
      ...CONTRACT,
      ...PAGES,
      ...SCHEMA,
      ...SIMULATOR,
      ANY_LIBRARY,
    ],
    because: 'the wiring sees all of the service, and other workspaces by their name',
  },
  {
    name: 'miftah',
    holds: /^service\/miftah\.mjs$/,
    may: [
      'service/src/cli.ts',
      'service/src/platform/start-signals.ts',
      'service/src/start-by-command.ts',
    ],
    because: 'the door of the commands looks at the Node it runs on, and chooses what to load',
  },
  {
    name: 'drive-commands',
    holds: /^service\/src\/commands\/drive\//,
    may: [
      'service/src/commands/drive/',
      'commander',
      '@bomb.sh/tab/commander',
      '@miftah/contract/typed-digits',
      'node:util',
      ...CLIENT,
    ],
    mayNameTypesOf: ['service/src/config/instance.ts', PORTS],
    because: 'it drives an instance over HTTP, and loads nothing of service, store or simulator',
  },
  {
    name: 'commands',
    holds: /^service\/src\/commands\//,
    may: ['service/src/commands/', DOMAIN, 'commander'],
    mayNameTypesOf: [PORTS],
    because: 'a command asks the store as a flow does, and prints what it is told',
  },
  {
    name: 'config',
    holds: /^service\/src\/config(?:\.ts$|\/)/,
    may: [
      'service/src/config/',
      // Reads the URL of a database, and loads no driver.
      'service/src/store/postgres/connection-url.ts',
      DOMAIN,
      '@miftah/schema/misspelt-settings',
      '@miftah/schema/nearest',
      '@miftah/schema/regular-file',
      'node:fs',
      'node:net',
      // The addresses of the machine, for --lan.
      'node:os',
      'node:path',
      'node:util',
    ],
    mayNameTypesOf: ['service/src/config.ts'],
    because: 'settings come from flags, the environment and files, and change nothing',
  },
  {
    name: 'banner',
    holds: /^service\/src\/banner\.ts$/,
    may: [DOMAIN, 'service/src/config.ts'],
    because: 'the banner only puts the settings into words',
  },
  {
    name: 'lan-banner',
    holds: /^service\/src\/lan-banner\.ts$/,
    may: ['uqr'],
    mayNameTypesOf: ['service/src/config.ts'],
    because: 'it shows addresses as text and as a symbol to scan',
  },
  {
    name: 'domain',
    holds: /^service\/src\/domain\//,
    may: [DOMAIN, 'node:crypto', 'ipaddr.js', ...CONTRACT_VALUES],
    because: 'the domain is pure, so that every state of it can be tested in a table',
  },
  {
    name: 'ports',
    holds: /^service\/src\/ports\//,
    may: [PORTS],
    mayNameTypesOf: [DOMAIN],
    because: 'a port is a contract over the words of the domain',
  },
  ...['start', 'browser', 'phone', 'outcome', 'token'].map(flowRoom),
  {
    name: 'flow',
    holds: /^service\/src\/flow\//,
    may: [FLOW, DOMAIN, PORTS],
    because: 'a flow works with any store, any provider and no web framework',
  },
  {
    name: 'store-postgres',
    holds: /^service\/src\/store\/postgres\//,
    may: [
      'service/src/store/postgres/',
      'service/src/store/sql/',
      STORE_SHARED,
      STORE_FAULT,
      DOMAIN,
      PORTS,
      '@miftah/schema/regular-file',
      'node:',
      'kysely',
      'pg',
    ],
    because: 'only what knows the faults of a connection may use the driver of PostgreSQL',
  },
  {
    name: 'store-memory',
    holds: /^service\/src\/store\/memory\//,
    may: ['service/src/store/memory/', STORE_SHARED, STORE_FAULT, DOMAIN, PORTS],
    because: 'the model of the other stores follows the domain, and shares no SQL with them',
  },
  {
    name: 'store-shared',
    holds: /^service\/src\/store\/shared\//,
    may: [STORE_SHARED, STORE_FAULT, DOMAIN, PORTS],
    because: 'what every store decides in the same way is said in the words of the domain',
  },
  {
    name: 'store-sql',
    holds: /^service\/src\/store\/sql\//,
    may: ['service/src/store/sql/', STORE_SHARED, STORE_FAULT, DOMAIN, PORTS, 'kysely'],
    because: 'what every SQL database needs knows none of them, and no driver',
  },
  {
    name: 'store-sqlite',
    holds: /^service\/src\/store\/sqlite\//,
    may: [
      'service/src/store/sqlite/',
      'service/src/store/sql/',
      STORE_SHARED,
      STORE_FAULT,
      DOMAIN,
      PORTS,
      'node:',
      'kysely',
    ],
    because: 'an engine brings its database to the shared commands, and knows no other engine',
  },
  {
    name: 'store',
    holds: /^service\/src\/store\//,
    may: ['service/src/store/', DOMAIN, PORTS, 'node:', 'kysely', 'kysely/'],
    because: 'a store knows its database, and neither provider nor HTTP',
  },
  {
    name: 'simulated-provider',
    holds:
      /^service\/src\/provider\/(?:kept-decisions|kept-signers|simulated-faults|simulated-provider)\.ts$/,
    may: ['service/src/provider/', DOMAIN, PORTS, 'node:', '@miftah/simulator/engine'],
    because: 'the simulator runs in process by its engine, without its web pages and its HTTP',
  },
  {
    name: 'provider',
    holds: /^service\/src\/provider\//,
    // undici: Node's own fetch sends a POST again after a 421, but a push must never be sent twice.
    may: ['service/src/provider/', DOMAIN, PORTS, 'node:', 'jose', 'undici'],
    because: 'a provider driver knows the provider, and neither store nor HTTP nor simulator',
  },
  {
    name: 'platform',
    holds: /^service\/src\/platform\//,
    may: [
      'service/src/platform/',
      DOMAIN,
      PORTS,
      '@miftah/schema/data-folder',
      '@miftah/schema/regular-file',
      'node:',
      'prom-client',
    ],
    because: 'clock, randomness and limits are the ground, and know nothing built on it',
  },
  {
    name: 'http',
    holds: /^service\/src\/http\//,
    may: [
      'service/src/http/',
      'service/src/flow/',
      DOMAIN,
      'node:',
      'fastify',
      '@fastify/',
      '@scalar/fastify-api-reference',
      ...CONTRACT,
      ...SCHEMA,
      ...PAGES,
    ],
    mayNameTypesOf: [PORTS],
    because: 'HTTP parses, calls a flow and presents; store and provider come by the wiring',
  },
];

const OTHER_ROOMS: readonly Room[] = [
  {
    name: 'image',
    holds: /^deploy\/image\//,
    may: ['node:'],
    because: 'it runs in the image beside the release, and knows nothing of its inside',
  },
  {
    name: 'deploy-tests',
    holds: /^deploy\/test\//,
    may: [
      'deploy/',
      'scripts/',
      'service/test/support/',
      'node:',
      ...CLIENT,
      ...CONTRACT,
      ANY_LIBRARY,
    ],
    because: 'what is installed is tested from outside, by its files, commands and addresses',
  },
  {
    name: 'schema',
    holds: /^schema\/(?:test\/|src\/)/,
    may: [
      'schema/',
      'node:',
      'ajv',
      '@fastify/fast-json-stringify-compiler',
      'fast-check',
      'vitest',
    ],
    because: 'what service and simulator both use knows neither of them',
  },
  {
    name: 'contract-tests',
    holds: /^contract\/src\/.*\.test\.ts$/,
    may: ['contract/', ...SCHEMA, 'vitest'],
    because: 'the contract is tested without the programs that keep to it',
  },
  {
    name: 'contract-values',
    holds: /^contract\/src\/(?:errors|typed-digits|uuid|values)\.ts$/,
    may: [],
    because: 'who needs a number or a code of the contract does not load its schemas',
  },
  {
    name: 'contract',
    holds: /^contract\/src\//,
    may: ['contract/src/', '@miftah/schema'],
    because: 'a client loads the contract without web framework, store or service',
  },
  {
    name: 'client-tests',
    holds: /^client\/src\/.*\.test\.ts$/,
    may: ['client/src/', ...CONTRACT, 'vitest'],
    because: 'its tests against a running service are among those of the service',
  },
  {
    name: 'client-element-file',
    holds: /^client\/src\/sign-in\/element-file\.ts$/,
    may: ['node:fs/promises', '@miftah/client/element'],
    because: 'one file reads the element for applications that do not serve it themselves',
  },
  {
    name: 'client',
    holds: /^client\/src\//,
    may: ['client/src/'],
    because: 'an application gets nothing with the client, on any platform',
  },
  {
    name: 'kit-tests',
    holds: /^kit\/test\//,
    may: ['kit/', 'scripts/', 'node:', ...CLIENT, ...SIMULATOR, ANY_LIBRARY],
    because: 'the kit is tested as an application uses it, without the inside of the service',
  },
  {
    name: 'kit-in-process',
    holds: /^kit\/src\/in-process\.ts$/,
    may: [
      'kit/src/',
      'service/src/config.ts',
      'service/src/domain/client.ts',
      'service/src/platform/clients-file.ts',
      'service/src/platform/random.ts',
      'service/src/program.ts',
      'service/src/store/index.ts',
      'node:',
      'pino',
    ],
    because: 'one file opens the program in the process of a test, by its own wiring',
  },
  {
    name: 'kit',
    holds: /^kit\/src\//,
    may: ['kit/src/', 'node:process', ...CLIENT],
    because: 'what the kit does is done by the API, so that every other language can do it too',
  },
  {
    name: 'browser-scripts',
    holds: /^pages\/browser\//,
    may: ['pages/browser/'],
    because: 'a page carries its script whole, with the parts that it imports from beside it',
  },
  {
    name: 'pages-tests',
    holds: /^pages\/(?:test\/|src\/.*\.test\.ts$)/,
    may: ['pages/', 'scripts/', 'node:', ANY_LIBRARY],
    because: 'the pages are tested without the programs that serve them',
  },
  {
    name: 'pages',
    holds: /^pages\/src\//,
    may: [
      'pages/src/',
      'preact',
      'preact/',
      'preact-render-to-string',
      '@fontsource/',
      'node:fs',
      'node:fs/promises',
      'node:module',
      'node:path',
      'node:url',
      'node:crypto',
    ],
    because: 'pages turn data into HTML and are shared by service and simulator',
  },
  {
    name: 'simulator-tests',
    holds: /^simulator\/(?:test\/|src\/.*\.test\.ts$)/,
    may: ['simulator/', 'scripts/', 'node:', ...PAGES, ...SCHEMA, ...SIMULATOR, ANY_LIBRARY],
    because: 'the simulator is tested as a stranger would use it, without the service',
  },
  {
    name: 'simulator',
    holds: /^simulator\/(?:src\/|miftah-simulator\.mjs$)/,
    may: [
      'simulator/src/',
      'simulator/people.json',
      'node:',
      // How people type numbers and ids is no matter of the provider, and the same at every door.
      '@miftah/contract/typed-digits',
      '@miftah/contract/uuid',
      ...PAGES,
      ...SCHEMA,
      ANY_LIBRARY,
    ],
    because: 'a double that shares code with the service would share its mistakes too',
  },
  {
    name: 'console-tests',
    holds: /^console\/(?:test\/|src\/.*\.test\.ts$)/,
    may: ['console/', 'scripts/', 'node:', ...PAGES, ANY_LIBRARY],
    because: 'the console is tested against answers that the test gives, without the simulator',
  },
  {
    name: 'console-build',
    holds: /^console\/vite\.config\.ts$/,
    may: ['vite'],
    because: 'the build of the console needs nothing of the programs',
  },
  {
    name: 'console',
    holds: /^console\/src\//,
    may: [
      'console/src/',
      // Pages read the same stream.
      'pages/browser/event-stream.js',
      '@miftah/contract/typed-digits',
      '@miftah/contract/uuid',
      'preact',
      'preact/',
      '@preact/signals',
      'uqr',
    ],
    because: 'the console runs in a browser, and knows the simulator by its control API alone',
  },
  {
    name: 'bench',
    holds: /^bench\//,
    may: [
      'bench/',
      // Finds and starts a PostgreSQL server, as the tests do.
      'scripts/postgres.mjs',
      'service/test/support/postgres/server.ts',
      'service/src/config.ts',
      'service/src/program.ts',
      'service/src/store/index.ts',
      '@miftah/service',
      '@miftah/service/program',
      'node:',
      ...SIMULATOR,
      ANY_LIBRARY,
    ],
    because: 'what is measured has to be the program that people run, wired by its own hand',
  },
  {
    name: 'testing-examples',
    holds: /^examples\/testing\//,
    may: ['examples/testing/', 'node:', 'miftah/testing', 'vitest', 'playwright-core', ...CLIENT],
    because: 'an example of a test has what its reader installs and nothing of this checkout',
  },
  {
    name: 'examples',
    holds: /^examples\//,
    may: ['examples/', 'node:', ...CLIENT],
    because: 'an example is copied, and has what its reader installs and nothing of this checkout',
  },
  {
    name: 'generators',
    holds: /^generators\//,
    may: ['generators/', 'scripts/', 'service/test/support/', 'node:', 'openapi-fetch', 'vitest'],
    because: 'what is generated knows of the service what its documents say',
  },
  {
    name: 'site-tests',
    holds: /^site\/(?:test\/|.*\.test\.ts$)/,
    may: ['site/', 'scripts/', 'node:', ANY_LIBRARY],
    because: 'the site is tested as its readers see it, without the programs that it describes',
  },
  {
    name: 'site-build',
    holds: /^site\/(?:astro\.config\.mjs|src\/)/,
    may: ['site/content/', 'astro/config', 'astro:content', '@astrojs/'],
    because: 'what Astro loads has the libraries of the site, which nothing else may need',
  },
  {
    name: 'site',
    holds: /^site\//,
    may: ['site/', 'scripts/lock.mjs', 'scripts/site.mjs', 'node:'],
    because: 'the documents are read and checked without the libraries of the site',
  },
  {
    name: 'demo',
    holds: /^scripts\/demo-live\.ts$/,
    may: ['scripts/', 'service/src/http/phone-lines.ts', 'node:'],
    because: 'the demo prints the commands that strict mode prints, and starts the programs',
  },
  {
    name: 'scripts',
    holds: /^(?:scripts\/|vitest\.config\.ts$)/,
    may: ['scripts/', 'node:', ANY_LIBRARY],
    because: 'the scripts make a checkout ready, before there is a program',
  },
  {
    name: 'house-tests',
    holds: /^test\//,
    may: ['test/', 'scripts/', 'node:', ANY_LIBRARY],
    because: "the house's tests read the sources and run none of them",
  },
];

export const ROOMS: readonly Room[] = [...SERVICE_ROOMS, ...OTHER_ROOMS];

export function roomOf(path: string): Room | undefined {
  return ROOMS.find((room) => room.holds.test(path));
}
