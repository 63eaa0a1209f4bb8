import type { PlantedBug } from '../support/planted-bug.ts';

const RULES = 'simulator/src/engine/outcomes/faults.test.ts';
const ON_THE_WIRE = 'simulator/test/faults.test.ts';

/** Bugs in the faults that tests set, on whose order and limits they rely. */
export const FAULT_BUGS: readonly PlantedBug[] = [
  {
    name: 'the latencies of many rules add up without an end',
    edits: [
      {
        file: 'simulator/src/engine/outcomes/faults.ts',
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
        file: 'simulator/src/engine/outcomes/faults.ts',
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
        file: 'simulator/src/provider/scope-of-call.ts',
        from: "if (named !== undefined) return readScope({ 'x-miftah-scope': named }) ?? DEFAULT_SCOPE;",
        to: 'if (readScope({}) === named) return DEFAULT_SCOPE;',
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
    name: 'a fault damages the answer of a refusal',
    edits: [
      {
        file: 'simulator/src/provider/meet-faults.ts',
        from: 'return statusCode >= 300 ? null : (damaged.get(request) ?? null);',
        to: 'return statusCode >= 900 ? null : (damaged.get(request) ?? null);',
      },
    ],
    test: { file: ON_THE_WIRE, name: 'faults > never turn a refusal into anything else' },
  },
  {
    name: 'an exchange that meets a fault signs in all the same',
    edits: [
      {
        file: 'service/src/simulate/simulated-provider.ts',
        from: 'return { decided, news: (await faults.exchange(decided.prompt.scope)) ?? news };',
        to: 'await faults.exchange(decided.prompt.scope);\n  return made;',
      },
    ],
    test: {
      file: 'service/test/api/faults.test.ts',
      name: "an exchange that meets a fault > in plain mode, { answer: 'cut' }: failed",
    },
  },
  {
    name: 'the delay of a fault holds up the end of the service',
    edits: [
      {
        file: 'service/src/simulate/simulated-provider.ts',
        from: 'for (const wake of this.#asleep) wake();',
        to: 'for (const wake of this.#asleep) this.#asleep.delete(wake);',
      },
    ],
    test: {
      file: 'service/test/api/fault-delays.test.ts',
      name: 'a delay in plain mode > holds up nobody else, and ends when the service stops',
    },
  },
  {
    name: 'a list of faults that is refused ends those that were set',
    edits: [
      {
        file: 'simulator/src/control/conditions/faults.ts',
        from: 'const rules = rulesOf(request.body, engine.newSeed);',
        to: 'engine.scopes.change(scope, { faults: null });\n    const rules = rulesOf(request.body, engine.newSeed);',
      },
    ],
    test: {
      file: 'simulator/test/faults-control.test.ts',
      name: 'GET and PUT /simulator/faults > refuse a range backwards, say what is allowed, and keep what was set',
    },
  },
  {
    name: 'a state is exchanged while there is no key for its token',
    edits: [
      {
        file: 'service/src/provider/http-provider-api.ts',
        from: 'await this.#verifier.prepare(this.#clock.now());',
        to: 'await Promise.resolve(this.#clock.now());',
      },
    ],
    test: {
      file: 'service/test/provider/faults.test.ts',
      name: 'a state is kept for later while the keys for its token can’t be loaded',
    },
  },
];
