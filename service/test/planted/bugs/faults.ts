import type { PlantedBug } from '../support/planted-bug.ts';

const RULES = 'simulator/src/engine/faults.test.ts';
const ON_THE_WIRE = 'simulator/test/faults.test.ts';

/** Bugs in the faults that tests set, on whose order and limits they rely. */
export const FAULT_BUGS: readonly PlantedBug[] = [
  {
    name: 'the latencies of many rules add up without an end',
    edits: [
      {
        file: 'simulator/src/engine/faults.ts',
        from: 'latencyMs: Math.min(latencyMs, LATENCY_MAX_MS)',
        to: 'latencyMs',
      },
    ],
    test: { file: RULES, name: 'several rules > add up their latencies, up to the longest' },
  },
  {
    name: 'a rule counts only the calls that meet it',
    edits: [
      {
        file: 'simulator/src/engine/faults.ts',
        from: '  counting.seen += 1;\n  const { chance, share } = drawn(rule.seed, counting.seen);',
        to: '  const { chance, share } = drawn(rule.seed, counting.seen + 1);\n  if (chance < rule.rate) counting.seen += 1;',
      },
    ],
    test: { file: RULES, name: 'the decisions of a seed > never change: seed 2 at a rate of 0.5' },
  },
  {
    name: 'the faults of one scope are met in every scope',
    edits: [
      {
        file: 'simulator/src/provider/meet-faults.ts',
        from: "return readScope({ 'x-miftah-scope': headers['x-miftah-scope'] }) ?? DEFAULT_SCOPE;",
        to: "return typeof headers === 'object' ? DEFAULT_SCOPE : (readScope({}) ?? '');",
      },
    ],
    test: {
      file: ON_THE_WIRE,
      name: 'faults > of one scope are not met, seen or changed by another',
    },
  },
  {
    name: 'the delay of a fault holds up the end of the simulator',
    edits: [
      {
        file: 'simulator/src/provider/meet-faults.ts',
        from: 'await timer.sleep(latencyMs, closing);',
        to: 'await timer.sleep(latencyMs, new AbortController().signal);',
      },
    ],
    test: { file: ON_THE_WIRE, name: 'faults > end their delays when the simulator closes' },
  },
  {
    name: 'a fault spoils the answer of a refusal',
    edits: [
      {
        file: 'simulator/src/provider/meet-faults.ts',
        from: 'return statusCode >= 300 ? null : (spoiled.get(request) ?? null);',
        to: 'return statusCode >= 900 ? null : (spoiled.get(request) ?? null);',
      },
    ],
    test: { file: ON_THE_WIRE, name: 'faults > never turn a refusal into anything else' },
  },
];
