import type { PlantedBug } from '../support/planted-bug.ts';

const MEMORY_TEST = 'service/src/platform/coordination/memory-coordination.test.ts';
const LIMITER = 'service/src/platform/coordination/memory-rate-limiter.ts';
const LIMITS = 'memory keeps the promises of the coordination ports > requestLimits >';

/** What instances share, and what hangs on it. */
export const COORDINATION_BUGS: readonly PlantedBug[] = [
  {
    name: 'every request moves the end of its window',
    edits: [
      {
        file: LIMITER,
        from: 'if (allowed) window.count += 1;',
        to: `if (allowed) window.count += 1;
    this.#windows.set(name, { ...window, endsAt: now + RATE_WINDOW_MS });`,
      },
    ],
    test: { file: MEMORY_TEST, name: `${LIMITS} L-11: no later call moves the end of the window` },
  },
  {
    name: 'a look at a counter takes a place',
    edits: [
      {
        file: LIMITER,
        from: `    const window = this.#openWindow(nameOf(policy, key), now);
    return standingOf(policy, window ?? newWindow(now), now);`,
        to: '    return this.consume(policy, key, now);',
      },
    ],
    test: { file: MEMORY_TEST, name: `${LIMITS} L-14: a look takes nothing, and begins no window` },
  },
  {
    name: 'a busy key is forgotten with the idle ones',
    edits: [
      {
        file: 'service/src/platform/coordination/bounded-table.ts',
        from: 'if (old !== undefined) this.set(key, old);',
        to: '',
      },
    ],
    test: {
      file: MEMORY_TEST,
      name: `${LIMITS} L-15: a key in constant use is counted on, beside any number of others`,
    },
  },
  {
    name: 'every unknown number after the last one is reported as the last one',
    edits: [
      {
        file: 'service/src/flow/start/push-budget.ts',
        from: 'return allowed && remaining === 0;',
        to: 'return (allowed || !allowed) && remaining === 0;',
      },
    ],
    test: {
      file: 'service/test/threats/seen.test.ts',
      name: 'threat 21: trying out national ids, as the operator sees it > a run of unknown numbers is in the audit log once',
    },
  },
  {
    name: 'the launch does not wait for its limit',
    edits: [
      {
        file: 'service/src/flow/browser/launch.ts',
        from: 'await press.admit();',
        to: 'press.admit().catch(() => undefined);',
      },
    ],
    test: {
      file: 'service/test/threats/launch.test.ts',
      name: 'threat 61: a sign-in whose id somebody else knows > opening its page and pressing its button all the time keeps nobody from it',
    },
  },
];
