import type { PlantedBug } from '../support/planted-bug.ts';

const HEADERS = 'service/test/api/scenario.test.ts';

/** Bugs in what a test chooses for an attempt. */
export const SCENARIO_BUGS: readonly PlantedBug[] = [
  {
    name: 'live mode reads what a test chooses',
    edits: [
      {
        file: 'service/src/program/live-mode.ts',
        from: 'httpContext(runtime, services, modeOf(live));',
        to: 'httpContext(runtime, services, modeOf(live), readScenario);',
      },
      {
        file: 'service/src/program/live-mode.ts',
        from: "import { liveServices } from './live-services.ts';",
        to: "import { liveServices } from './live-services.ts';\nimport { readScenario } from './scenarios.ts';",
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
        file: 'service/src/store/sql/rows/attempts.ts',
        from: "read.parsedOrNull('scenario', parseScenario)",
        to: 'null',
      },
    ],
    test: { file: HEADERS, name: 'X-Simulate > is known after a restart' },
  },
];
