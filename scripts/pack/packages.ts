/** What is published, and from which sources. */
export interface PackedPackage {
  readonly name: string;
  readonly description: string;
  /** What somebody searches a registry for. */
  readonly keywords: readonly string[];
  /** The oldest Node that has everything that the compiled code uses. */
  readonly node: string;
  /** The workspace whose package.json has the versions of the libraries. */
  readonly workspace: string;
  /** Modules that are run or imported by name, from the root of the repository. */
  readonly entries: readonly string[];
  /** Modules for browsers, each compiled into one file that a server can hand out as it is. */
  readonly standalone?: readonly string[];
  /** A configuration of the compiler that makes the declarations of the entries. */
  readonly declarations?: string;
  /**
   * Entries whose declarations are made from each source by itself. The compiler would declare the
   * whole program behind them too.
   */
  readonly declaredAlone?: readonly string[];
  /** The name in `exports` that a bundle for browsers must not have: bundling it for a browser fails. */
  readonly nodeOnly?: string;
  /** Workspaces that are published by themselves, which every installation needs. */
  readonly needs?: readonly string[];
  /** Workspaces that are published by themselves, which only some installations need. */
  readonly optional: readonly string[];
  /**
   * Libraries that only some installations need. In the checkout they are no optional dependencies:
   * npm leaves out those whose libraries ask for a newer Node than the one that runs npm.
   */
  readonly optionalLibraries?: readonly string[];
  /** Libraries that are found at run time, and not imported. */
  readonly resolved: readonly string[];
  /** Files that are read at run time, by the names that they keep. */
  readonly assets: readonly string[];
  readonly bin: Readonly<Record<string, string>>;
  /** By the name in `exports`: a module of `entries`. */
  readonly exports: Readonly<Record<string, string>>;
}

/** Of the pages, which are bundled into everything that shows one. */
const PAGE_ASSETS = ['pages/src/miftah.css', 'pages/src/key.svg', 'pages/browser/'];
/** Made by set-up. The simulator serves it; a live service has none of it. */
const CONSOLE = 'console/dist/';
const PAGE_FONTS = ['@fontsource/ibm-plex-sans-arabic'];
const ABOUT = ['miftah', 'authentication', 'sign-in', 'mfa'];

export const PACKAGES: readonly PackedPackage[] = [
  {
    name: 'miftah',
    description: 'A self-hosted authentication attempt service, and the tool that looks after it.',
    keywords: [...ABOUT, 'server', 'testing'],
    node: '>=24',
    workspace: 'service',
    entries: ['service/src/cli.ts', 'kit/src/index.ts'],
    declaredAlone: ['kit/src/index.ts'],
    nodeOnly: './testing',
    needs: ['@miftah/client'],
    optional: ['@miftah/simulator'],
    optionalLibraries: ['@scalar/fastify-api-reference'],
    resolved: PAGE_FONTS,
    assets: PAGE_ASSETS,
    bin: { miftah: 'service/miftah.mjs' },
    exports: { './testing': 'kit/src/index.ts' },
  },
  {
    name: '@miftah/simulator',
    description: 'A faithful simulator of the identity provider that Miftah talks to.',
    keywords: [...ABOUT, 'simulator', 'testing'],
    node: '>=24',
    workspace: 'simulator',
    entries: [
      'simulator/src/main.ts',
      'simulator/src/app.ts',
      'simulator/src/engine/index.ts',
      'simulator/src/fidelity/card.ts',
      'simulator/src/platform/platform.ts',
      'simulator/src/population/population.ts',
    ],
    optional: [],
    resolved: PAGE_FONTS,
    assets: [...PAGE_ASSETS, CONSOLE],
    bin: { 'miftah-simulator': 'simulator/miftah-simulator.mjs' },
    exports: {
      '.': 'simulator/src/app.ts',
      './app': 'simulator/src/app.ts',
      './engine': 'simulator/src/engine/index.ts',
      './fidelity': 'simulator/src/fidelity/card.ts',
      './platform': 'simulator/src/platform/platform.ts',
      './population': 'simulator/src/population/population.ts',
    },
  },
  {
    name: '@miftah/client',
    description: 'What an application calls a Miftah service with.',
    keywords: [...ABOUT, 'client', 'express', 'fastify'],
    // Browsers and workers have what it uses, too.
    node: '>=20.3',
    workspace: 'client',
    entries: [
      'client/src/index.ts',
      'client/src/sign-in/express.ts',
      'client/src/sign-in/fastify.ts',
      'client/src/element/react.ts',
      'client/src/element/vue.ts',
      'client/src/sign-in/auth-js.ts',
      'client/src/sign-in/better-auth.ts',
      'client/src/sign-in/passport.ts',
      'client/src/sign-in/web.ts',
    ],
    standalone: ['client/src/element.ts'],
    declarations: 'client/tsconfig.json',
    optional: [],
    resolved: [],
    assets: [],
    bin: {},
    exports: {
      '.': 'client/src/index.ts',
      './element': 'client/src/element.ts',
      './auth-js': 'client/src/sign-in/auth-js.ts',
      './better-auth': 'client/src/sign-in/better-auth.ts',
      './express': 'client/src/sign-in/express.ts',
      './fastify': 'client/src/sign-in/fastify.ts',
      './passport': 'client/src/sign-in/passport.ts',
      './react': 'client/src/element/react.ts',
      './vue': 'client/src/element/vue.ts',
      './web': 'client/src/sign-in/web.ts',
    },
  },
];

/** The workspaces that stay imports in the compiled code. */
export function apartFrom({ needs = [], optional }: PackedPackage): readonly string[] {
  return [...needs, ...optional];
}
