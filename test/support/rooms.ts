// Which file may import which. Every source file belongs to the first room that contains it, and
// may import only what the room lists. In the lists a name ending with `/` or `:` means everything
// that begins with it; any other name means only itself. A pattern means every file that it fits.

export type Room = {
  readonly name: string;
  readonly holds: RegExp;
  readonly may: readonly (string | RegExp)[];
  /** What may only be imported by `import type`. */
  readonly mayNameTypesOf?: readonly (string | RegExp)[];
  readonly because: string;
};

/** Any published package. Another check verifies that package.json declares it. */
export const ANY_LIBRARY = 'any library';
const ANY_CHARACTER = 'test/support/any-character.ts';

const STORE_FAULT = 'service/src/store/store-fault.ts';

// Folders of the service are by what it does. Where a folder holds several kinds of file, the name
// says the kind: `*.route.ts`, `*.flow.ts`, `*.port.ts`, and a pure file has no such word.
/** What an attempt, a person, an entry of the audit log, an error and a value are. */
const PURE =
  /^service\/src\/(?:attempt|account|audit|errors|values|webhooks)\/(?:[\w-]+\/)?[\w-]+\.ts$/;
/** Without the rules of attempts, people and tokens, which the model of the stores has anew. */
const PURE_WITHOUT_RULES = new RegExp(
  PURE.source.replace('(?:', '(?!attempt\\/attempt\\.|account\\/(?:user|api-token)\\.)(?:'),
);
const PORT = /^service\/src\/.+\.port\.ts$/;
const FLOW = /^service\/src\/.+\.flow\.ts$/;
const ROUTE = /^service\/src\/.+\.route\.ts$/;
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
/** How the simulator is told what to do. */
const CONTROL = [
  '@miftah/contract/control',
  '@miftah/contract/control-client',
  '@miftah/contract/page-visitor',
];
const SIMULATOR = ['@miftah/simulator', '@miftah/simulator/'];
const CLIENT = ['@miftah/client', '@miftah/client/'];

/** What every verb of an attempt uses: its state, who asks, and how it ends. */
const FLOW_SHARED =
  /^service\/src\/(?:attempt|attempt\/finish|attempt\/status|audit)\/[\w-]+\.flow\.ts$/;

function flowRoom(name: string, folders: string): Room {
  const own = `^service\\/src\\/attempt\\/(?:${folders})\\/[\\w-]+\\.flow\\.ts$`;
  return {
    name: `flow-${name}`,
    holds: new RegExp(own),
    may: [new RegExp(own), FLOW_SHARED, PURE, PORT],
    because: 'the verbs of an attempt share how it ends, and know nothing else of each other',
  };
}

const SERVICE_ROOMS: readonly Room[] = [
  {
    name: 'store-model',
    holds: /^service\/test\/model\//,
    may: [
      'service/test/model/',
      /^service\/src\/store\/(?:store-fault\.ts$|sql\/decide\/)/,
      PURE_WITHOUT_RULES,
      PORT,
    ],
    mayNameTypesOf: [PURE],
    because:
      'a wrong rule of the service must not be in the model too, which shares no SQL with it',
  },
  {
    name: 'conformance',
    holds: /^service\/test\/conformance\//,
    may: [PORT, PURE, 'service/test/conformance/', ANY_CHARACTER, 'vitest', 'fast-check'],
    because: 'a conformance suite that knows one adapter cannot hold another one to the contract',
  },
  {
    name: 'service-tests',
    holds: /^service\/(?:test\/|src\/.*\.test\.ts$)/,
    may: [
      'service/',
      'scripts/',
      'simulator/src/main.ts',
      'simulator/src/open-simulator.ts',
      'simulator/src/settings.ts',
      'client/promises.json',
      'examples/',
      'console/src/test-ids.ts',
      'console/src/rooms/attempt/copy/',
      ANY_CHARACTER,
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
      'service/src/program/program.ts',
      'service/src/program/banner.ts',
      'service/src/config/config.ts',
      'service/src/config/describe.ts',
      'service/src/config/source/flags.ts',
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
      'service/src/config/config.ts',
      'service/src/config/source/flags.ts',
      '@miftah/schema/parent-process',
      'service/src/platform/start-signals.ts',
      'service/src/operate/log.ts',
      'service/src/request/context.ts',
      'node:',
    ],
    because: 'it runs the same program as main, with a store that is deleted at the end',
  },
  {
    name: 'openid',
    holds: /^service\/src\/openid\//,
    may: [
      'service/src/openid/',
      'service/src/platform/scheduler.ts',
      'service/src/request/',
      /^service\/src\/attempt\/(?:browser\/[\w-]+|status\/waiting)\.route\.ts$/,
      FLOW,
      PURE,
      PORT,
      'node:',
      'oidc-provider/lib/',
      ...PAGES,
    ],
    mayNameTypesOf: ['fastify'],
    because: 'the OpenID Provider is a door of its own, and alone knows its library',
  },
  {
    name: 'operator',
    holds: /^service\/src\/operator\//,
    may: [
      'service/src/operator/',
      'service/src/request/',
      'service/src/server/private-server.ts',
      /^service\/src\/account\/[\w-]+\.flow\.ts$/,
      PURE,
      PORT,
      'node:querystring',
      'fastify',
      'openid-client',
      '@miftah/contract/text-up-to',
      '@miftah/pages/operator',
      ...PAGES,
    ],
    mayNameTypesOf: ['service/src/operate/doctor/finding.ts'],
    because: 'the view of production has nothing of a simulator, and no door of the API',
  },
  {
    name: 'port',
    holds: PORT,
    may: [PORT],
    mayNameTypesOf: [PURE],
    because: 'a port is a contract over the words of the pure files',
  },
  {
    name: 'webhook-signature',
    holds: /^service\/src\/webhooks\/sign\.ts$/,
    may: [PURE, 'standardwebhooks'],
    because: 'one file knows the library of the signature, and nothing of who is told',
  },
  {
    name: 'webhooks',
    holds: /^service\/src\/webhooks\/open-webhooks\.ts$/,
    may: [
      'service/src/webhooks/',
      'service/src/attempt/status/collect-pending.flow.ts',
      'service/src/outbound/',
      'service/src/platform/scheduler.ts',
      PURE,
      PORT,
    ],
    mayNameTypesOf: ['service/src/config/config.ts', FLOW, 'pino'],
    because: 'it puts together what sends webhooks, and is loaded only where somebody is told',
  },
  {
    name: 'pure',
    holds: PURE,
    may: [PURE, 'node:crypto', 'ipaddr.js', ...CONTRACT_VALUES],
    because: 'what an attempt is does no I/O, so that every state of it can be tested in a table',
  },
  flowRoom('start', 'start'),
  flowRoom('browser', 'browser|sign-in'),
  flowRoom('phone', 'phone'),
  flowRoom('outcome', 'finish|status'),
  flowRoom('token', 'redeem'),
  {
    name: 'flow',
    holds: FLOW,
    may: [FLOW, PURE, PORT],
    because: 'a flow works with any store, any provider and no web framework',
  },
  {
    name: 'route',
    holds: /^service\/src\/(?:.+\.route\.ts$|origin\/)/,
    may: [
      'service/src/request/',
      'service/src/origin/',
      ROUTE,
      FLOW,
      PURE,
      'node:',
      'fastify',
      '@scalar/fastify-api-reference',
      ...CONTRACT,
      ...SCHEMA,
      ...PAGES,
    ],
    mayNameTypesOf: [PORT, 'service/src/config/config.ts'],
    because: 'a route parses, calls a flow and presents; store and provider come by the wiring',
  },
  {
    name: 'request',
    holds: /^service\/src\/request\//,
    may: [
      'service/src/request/',
      'service/src/server/',
      FLOW,
      PURE,
      'node:',
      'fastify',
      '@fastify/',
      ...CONTRACT,
      ...SCHEMA,
      ...PAGES,
    ],
    mayNameTypesOf: [PORT],
    because: 'what is done with every request knows no route, no store and no provider',
  },
  {
    name: 'server',
    holds: /^service\/src\/server\//,
    may: [
      'service/src/server/',
      'service/src/config/config.ts',
      'service/src/platform/',
      PURE,
      '@miftah/schema/listen-error',
      'node:',
    ],
    mayNameTypesOf: [FLOW, PORT, 'fastify'],
    because: 'connections and listening are below the framework, and know nothing of a request',
  },
  {
    name: 'store-postgres',
    holds: /^service\/src\/store\/postgres\//,
    may: [
      'service/src/store/postgres/',
      'service/src/store/sql/',
      STORE_FAULT,
      PURE,
      PORT,
      '@miftah/schema/regular-file',
      'node:',
      'kysely',
      'pg',
    ],
    because: 'only what knows the faults of a connection may use the driver of PostgreSQL',
  },
  {
    name: 'store-sql',
    holds: /^service\/src\/store\/sql\//,
    may: ['service/src/store/sql/', STORE_FAULT, PURE, PORT, 'kysely'],
    because: 'what every SQL database needs knows none of them, and no driver',
  },
  {
    name: 'store-sqlite',
    holds: /^service\/src\/store\/sqlite\//,
    may: [
      'service/src/store/sqlite/',
      'service/src/store/sql/',
      STORE_FAULT,
      PURE,
      PORT,
      'node:',
      'kysely',
    ],
    because: 'an engine brings its database to the shared commands, and knows no other engine',
  },
  {
    name: 'store',
    holds: /^service\/src\/store\//,
    may: ['service/src/store/', PURE, PORT, 'node:', 'kysely', 'kysely/'],
    because: 'a store knows its database, and neither provider nor HTTP',
  },
  {
    name: 'provider',
    holds: /^service\/src\/provider\//,
    // undici: Node's own fetch sends a POST again after a 421, but a push must never be sent twice.
    may: ['service/src/provider/', PURE, PORT, 'node:', 'jose', 'undici'],
    because: 'a provider driver knows the provider, and neither store nor HTTP nor simulator',
  },
  {
    name: 'outbound',
    holds: /^service\/src\/outbound\//,
    may: ['service/src/outbound/', PURE, PORT, 'node:', 'undici'],
    because: 'one file connects to the hosts that clients name, and knows nothing of why',
  },
  {
    name: 'simulate',
    holds: /^service\/src\/simulate\/[\w-]+\.ts$/,
    may: [
      'service/src/simulate/',
      'service/src/provider/',
      PURE,
      PORT,
      'node:',
      '@miftah/simulator/engine',
    ],
    because: 'the simulator runs in process by its engine, without its web pages and its HTTP',
  },
  {
    name: 'lan-banner',
    holds: /^service\/src\/simulate\/hosted\/lan-banner\.ts$/,
    may: ['uqr'],
    mayNameTypesOf: ['service/src/config/config.ts'],
    because: 'it shows addresses as text and as a symbol to scan',
  },
  {
    name: 'simulate-hosted',
    holds: /^service\/src\/simulate\/hosted\//,
    may: [
      'service/src/simulate/',
      'service/src/provider/',
      'service/src/config/',
      'service/src/request/',
      'service/src/program/mode.ts',
      'service/src/platform/coordination/',
      FLOW,
      PURE,
      PORT,
      'node:',
      '@miftah/contract',
      '@miftah/schema/check',
      ...SIMULATOR,
    ],
    mayNameTypesOf: ['fastify'],
    because: 'what the pages of the simulator ask of the service is answered in its own terms',
  },
  {
    name: 'platform',
    holds: /^service\/src\/platform\//,
    may: [
      'service/src/platform/',
      PURE,
      PORT,
      '@miftah/schema/data-folder',
      '@miftah/schema/json-place',
      '@miftah/schema/nearest',
      '@miftah/schema/regular-file',
      'node:',
    ],
    because: 'clock, randomness and files are the ground, and know nothing built on it',
  },
  {
    name: 'meter',
    holds: /^service\/src\/operate\/(?:metrics|tracing)\//,
    may: [
      'service/src/operate/metrics/',
      'service/src/operate/tracing/',
      'service/src/platform/',
      PURE,
      PORT,
      'node:',
      'prom-client',
    ],
    mayNameTypesOf: ['pino'],
    because: 'what is counted and traced is handed in, by whoever did it',
  },
  {
    name: 'operate',
    holds: /^service\/src\/operate\//,
    may: [
      'service/src/operate/',
      'service/src/config/',
      'service/src/outbound/rules.ts',
      'service/src/platform/',
      'service/src/program/',
      'service/src/provider/',
      'service/src/simulate/hosted/optional-simulator.ts',
      'service/src/store/',
      'service/src/commands/init/',
      FLOW,
      PURE,
      PORT,
      'node:',
      'pino',
      '@miftah/contract/text-up-to',
      ...SIMULATOR,
      ...SCHEMA,
    ],
    mayNameTypesOf: ['service/src/commands/'],
    because: 'what an operator does needs settings, stores and providers, and answers no request',
  },
  {
    name: 'banner',
    holds: /^service\/src\/program\/banner\.ts$/,
    may: [PURE, 'service/src/config/config.ts'],
    because: 'the banner only puts the settings into words',
  },
  {
    name: 'program',
    holds: /^service\/src\/(?:cli\.ts$|program\/)/,
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
    holds: /^service\/src\/commands\/(?:drill|drive|instance|people)\//,
    may: [
      'service/src/commands/drill/',
      'service/src/commands/drive/',
      'service/src/commands/instance/',
      'service/src/commands/people/',
      'service/src/values/time.ts',
      'commander',
      '@bomb.sh/tab/commander',
      '@miftah/contract/typed-digits',
      '@miftah/schema/json-place',
      '@miftah/schema/nearest',
      'node:util',
      ...CLIENT,
      ...CONTROL,
    ],
    mayNameTypesOf: ['service/src/config/instance.ts', PORT],
    because: 'it drives an instance over HTTP, and loads nothing of service, store or simulator',
  },
  {
    name: 'terminal',
    holds: /^service\/src\/commands\/terminal\//,
    may: [
      'service/src/commands/',
      'service/src/config/instance.ts',
      'service/src/platform/',
      'node:',
      '@clack/prompts',
    ],
    because: 'it gives the commands of an instance the real terminal, clock and browser',
  },
  {
    name: 'commands',
    holds: /^service\/src\/commands\//,
    // The flags of a set-up are settings.
    may: ['service/src/commands/', 'service/src/config/settings.ts', PURE, 'commander'],
    mayNameTypesOf: [
      PORT,
      'service/src/operate/doctor/finding.ts',
      'service/src/operate/against/drift.ts',
    ],
    because: 'a command asks the store as a flow does, and prints what it is told',
  },
  {
    name: 'config',
    holds: /^service\/src\/config\//,
    may: [
      'service/src/config/',
      // Reads the URL of a database, and loads no driver.
      'service/src/store/postgres/connection-url.ts',
      PURE,
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
    because: 'settings come from flags, the environment and files, and change nothing',
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
    holds:
      /^contract\/src\/(?:control(?:-client)?|errors|folded|page-visitor|text-up-to|typed-digits|uuid|values)\.ts$/,
    may: ['contract/src/control.ts', 'contract/src/text-up-to.ts', 'contract/src/typed-digits.ts'],
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
    may: ['client/src/', 'client/promises.json', 'node:fs', 'node:util', ...CONTRACT, 'vitest'],
    because: 'its tests against a running service are among those of the service',
  },
  {
    name: 'client-element-file',
    holds: /^client\/src\/sign-in\/element-file\.ts$/,
    may: ['node:fs/promises', '@miftah/client/element'],
    because: 'one file reads the element for applications that do not serve it themselves',
  },
  {
    name: 'client-libraries',
    holds: /^client\/src\/(?:element\/(?:react|vue)|sign-in\/better-auth)\.ts$/,
    may: ['client/src/', 'better-auth/', 'react', 'vue'],
    because: 'each is for an application that has its library, and asks nothing of others',
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
      'service/src/config/config.ts',
      'service/src/account/client.ts',
      'service/src/platform/files/clients-file.ts',
      'service/src/platform/runtime.ts',
      'service/src/program/program.ts',
      'service/src/store/index.ts',
      '@miftah/simulator/population',
      'node:',
      'pino',
    ],
    because: 'one file opens the program in the process of a test, by its own wiring',
  },
  {
    name: 'kit',
    holds: /^kit\/src\//,
    may: ['kit/src/', 'node:process', '@miftah/schema/nearest', ...CLIENT, ...CONTROL],
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
    may: [
      'simulator/',
      'scripts/',
      ANY_CHARACTER,
      'node:',
      ...PAGES,
      ...SCHEMA,
      ...SIMULATOR,
      ...CONTROL,
      ANY_LIBRARY,
    ],
    because: 'the simulator is tested as a stranger would use it, without the service',
  },
  {
    name: 'simulator-engine',
    holds: /^simulator\/src\/engine\//,
    may: [
      'simulator/src/engine/',
      'simulator/people.json',
      'node:crypto',
      '@miftah/contract/folded',
      '@miftah/contract/uuid',
      ...SCHEMA,
    ],
    because: 'the service has the engine in its own process, without HTTP, files or a clock',
  },
  {
    name: 'simulator',
    holds: /^simulator\/(?:src\/|miftah-simulator\.mjs$)/,
    may: [
      'simulator/src/',
      'simulator/people.json',
      'node:',
      // How people type numbers, names and ids is no matter of the provider, and the same at every door.
      '@miftah/contract/folded',
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
    may: ['console/', 'scripts/', ANY_CHARACTER, 'node:', ...PAGES, ...CONTROL, ANY_LIBRARY],
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
      '@miftah/contract/folded',
      '@miftah/contract/typed-digits',
      '@miftah/contract/uuid',
      ...CONTROL,
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
      'scripts/rehearsal.ts',
      'service/test/support/postgres/server.ts',
      'service/miftah.mjs',
      'service/src/config/config.ts',
      'service/src/program/program.ts',
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
    name: 'library-examples',
    holds: /^examples\/libraries\//,
    may: ['node:', ...CLIENT, ANY_LIBRARY],
    because: 'an example of a library is copied, and has it beside the client',
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
    holds: /^scripts\/demo-(?:live|web)\.ts$/,
    may: [
      'scripts/',
      'examples/web/app.mjs',
      'service/src/attempt/browser/return-address.ts',
      'service/src/origin/phone-lines.ts',
      'node:',
    ],
    because: 'the demo prints and refuses what the service does, and starts the programs',
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
