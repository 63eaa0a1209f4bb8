import type { PlantedBug } from '../support/planted-bug.ts';

const MEMORY_TEST = 'service/src/platform/coordination/memory-coordination.test.ts';
const LIMITER = 'service/src/platform/coordination/memory-coordination.ts';
const LOCK = 'service/src/platform/coordination/memory-coordination.ts';
const POLLS = 'service/src/platform/coordination/memory-coordination.ts';
const MEMORY = 'memory keeps the promises of the coordination ports >';
const LIMITS = `${MEMORY} requestLimits >`;

/** Bugs in the counting of requests by address, attempt or client. */
const COUNTER_BUGS: readonly PlantedBug[] = [
  {
    name: 'every request moves the end of its window',
    edits: [
      {
        file: LIMITER,
        from: `return count(policy, openIn(this.#windows, name, now) ?? this.#begin(name, now), shared);`,
        to: `const { count: calls } = openIn(this.#windows, name, now) ?? newWindow(now);
    this.#windows.set(name, { endsAt: now + RATE_WINDOW_MS, count: calls });
    return count(policy, openIn(this.#windows, name, now) ?? this.#begin(name, now), shared);`,
      },
    ],
    test: { file: MEMORY_TEST, name: `${LIMITS} L-11: no later call moves the end of the window` },
  },
  {
    name: 'a look at a counter takes a place',
    edits: [
      {
        file: LIMITER,
        from: `    const name = nameOf(policy, key);
    const shared = openIn(this.#shared, name, now);
    return standingOf(policy, openIn(this.#windows, name, now) ?? newWindow(now), shared);`,
        to: '    return this.consume(policy, key, now);',
      },
    ],
    test: { file: MEMORY_TEST, name: `${LIMITS} L-14: a look takes nothing, and begins no window` },
  },
  {
    name: 'a busy key is forgotten with the idle ones',
    edits: [
      {
        file: 'service/src/platform/coordination/memory-coordination.ts',
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
        file: 'service/src/attempt/start/push-budget.flow.ts',
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
        file: 'service/src/attempt/browser/launch.flow.ts',
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

/** Bugs in the order of work on an attempt, and in the status requests for its push. */
const ORDER_BUGS: readonly PlantedBug[] = [
  {
    name: 'work on one attempt queues without end',
    edits: [{ file: LOCK, from: 'line.length >= MOST_AT_ONE_ATTEMPT', to: 'line.length < 0' }],
    test: {
      file: MEMORY_TEST,
      name: `${MEMORY} attemptLock > L-23: 128 pieces of work for one attempt, and room again as they end`,
    },
  },
  {
    name: 'work that fails ends what waits behind it',
    edits: [{ file: LOCK, from: 'own.catch(() => undefined)', to: 'own' }],
    test: {
      file: MEMORY_TEST,
      name: `${MEMORY} attemptLock > L-22: a failure is its own caller’s, and holds up nobody at either instance`,
    },
  },
  {
    name: 'all who look at once ask the provider',
    edits: [
      {
        file: POLLS,
        from: 'push.nextAt = now + pauseAfter(push.questions);',
        to: 'queueMicrotask(() => void (push.nextAt = now + pauseAfter(push.questions)));',
      },
    ],
    test: {
      file: MEMORY_TEST,
      name: `${MEMORY} statusPolls > L-31: of 64 claims at once, at two instances, one is due`,
    },
  },
  {
    name: 'a slow answer of the provider replaces a newer one',
    edits: [
      {
        file: POLLS,
        from: 'if (push?.questions === question) push.latest = result;',
        to: 'if (push !== undefined && push.questions >= question) push.latest = result;',
      },
    ],
    test: {
      file: MEMORY_TEST,
      name: `${MEMORY} statusPolls > L-32: a slow answer does not replace a newer one, nor come before it`,
    },
  },
  {
    name: 'a push is sent before it can be asked about',
    edits: [
      {
        file: 'service/src/provider/remote-provider.ts',
        from: `      await polls.begin(attemptId, address);
      const { bindingCode, transactionId, expiresAt } = await api.requestPush(order);
`,
        to: `      const { bindingCode, transactionId, expiresAt } = await api.requestPush(order);
      await polls.begin(attemptId, address);
`,
      },
    ],
    test: {
      file: 'service/src/provider/remote-provider.test.ts',
      name: 'no push is sent that could not be asked about',
    },
  },
];

/** Bugs in the state that instances share, and in its use. */
export const COORDINATION_BUGS: readonly PlantedBug[] = [...COUNTER_BUGS, ...ORDER_BUGS];
