import type { PlantedBug } from '../support/planted-bug.ts';

const HEADERS = 'service/test/api/scenario.test.ts';
const IDENTITY = 'service/test/api/identity-of-attempt.test.ts';
const QUEUE = 'simulator/test/scenario.test.ts';

/** Bugs in what a test chooses for an attempt. */
export const SCENARIO_BUGS: readonly PlantedBug[] = [
  {
    name: 'live mode reads what a test chooses',
    edits: [
      {
        file: 'service/src/program/live-mode.ts',
        from: 'httpContext(runtime, services, modeOf(live));',
        to: 'httpContext(runtime, services, modeOf(live), { scenarios: readScenario, recorder: null });',
      },
      {
        file: 'service/src/program/live-mode.ts',
        from: "import { liveServices, providerLaunching } from './live-services.ts';",
        to: "import { liveServices, providerLaunching } from './live-services.ts';\nimport { readScenario } from '../simulate/hosted/scenarios.ts';",
      },
    ],
    test: {
      file: 'service/test/live/scenario.test.ts',
      name: "live mode > does not read { 'x-simulate': 'nothing of the kind' }",
    },
  },
  {
    name: 'what a test chose is lost in a restart',
    edits: [
      {
        file: 'service/src/store/sql/stores/attempts.ts',
        from: "read.parsedOrNull('scenario', parseScenario)",
        to: 'null',
      },
    ],
    test: { file: HEADERS, name: 'X-Simulate > is known after a restart' },
  },
  {
    name: 'somebody who is not known any more is the default person',
    edits: [
      {
        file: 'simulator/src/engine/people/directory.ts',
        from: 'markOf(person) === mark) ?? NOBODY',
        to: 'markOf(person) === mark) ?? directory.signerFor(null)',
      },
    ],
    test: {
      file: IDENTITY,
      name: 'an attempt for a number that nobody has > is nobody’s, when that default is gone',
    },
  },
  {
    name: 'a reset reaches the newest prompts only',
    edits: [
      {
        file: 'simulator/src/control/all-prompts.ts',
        from: "requestId: null }, 'all')",
        to: "requestId: null }, 'newest')",
      },
    ],
    test: {
      file: 'service/test/api/scopes.test.ts',
      name: 'a reset of a scope in which more wait than are listed > reaches the oldest too',
    },
  },
  {
    name: 'the queue gives an outcome twice',
    edits: [
      {
        file: 'simulator/src/engine/scopes.ts',
        from: 'next: next.filter((one) => one !== found)',
        to: 'next',
      },
    ],
    test: {
      file: QUEUE,
      name: 'POST /simulator/next > gives an outcome to exactly one request, the oldest first',
    },
  },
  {
    name: 'a header takes from the queue',
    edits: [
      {
        file: 'simulator/src/engine/scopes.ts',
        from: 'if (scenario !== null && scenario.outcome !== null) return scenario;',
        to: 'if (scenario !== null && scenario.outcome !== null) {\n      this.#take(scenario.scope, kind);\n      return scenario;\n    }',
      },
    ],
    test: {
      file: QUEUE,
      name: 'POST /simulator/next > loses to a header, which leaves it alone',
    },
  },
  {
    name: 'live mode takes a scope out of the id of an OpenID client',
    edits: [
      {
        file: 'service/src/openid/face.ts',
        from: 'whole.scenarios === null ? whole : withScopes(whole)',
        to: 'withScopes(whole)',
      },
    ],
    test: {
      file: 'service/test/threats/simulator-headers.test.ts',
      name: 'threat 84: the powers of the simulator, used on a live service > finds no OpenID client by an id that names a scope',
    },
  },
];
