import type { PlantedBug } from '../support/planted-bug.ts';

const FOLDER = 'service/src/store/postgres/coordination';
const NOTIFIER_TEST = 'service/test/store/postgres/attempt-notifier.test.ts';
const BETWEEN_TEST = 'service/test/api/events-between-instances.test.ts';

/** Bugs in how instances tell each other of changed attempts. */
export const NOTIFIER_BUGS: readonly PlantedBug[] = [
  {
    name: 'an instance keeps its changes to itself',
    edits: [
      {
        file: `${FOLDER}/postgres-notifier.ts`,
        from: 'this.#calls.add(attemptId);',
        to: 'void this.#calls;',
      },
    ],
    test: {
      file: BETWEEN_TEST,
      name: 'an instance that others tell of their changes > ends a stream of the redirect flow with the first read after the change',
    },
  },
  {
    name: 'nobody is told that notices may have been missed while the connection was lost',
    edits: [
      {
        file: `${FOLDER}/postgres-notifier.ts`,
        from: 'this.#line ??= new ListenConnection(',
        to: 'let told = 0;\n      this.#line ??= new ListenConnection(',
      },
      {
        file: `${FOLDER}/postgres-notifier.ts`,
        from: 'onListening: () => this.#tellAny(),',
        to: 'onListening: () => (told++ === 0 ? this.#tellAny() : undefined),',
      },
    ],
    test: {
      file: BETWEEN_TEST,
      name: 'an instance that others tell of their changes > reads again after its connection was lost: what changed meanwhile was not told',
    },
  },
  {
    name: 'each notice is a statement of its own',
    edits: [
      {
        file: `${FOLDER}/postgres-notifier.ts`,
        from: '{ shared: 200, underWay: 1 }',
        to: '{ shared: 1, underWay: 1 }',
      },
    ],
    test: {
      file: NOTIFIER_TEST,
      name: 'the notifier on PostgreSQL > sends 1000 notices of a turn in few calls, one at a time, each within the limit',
    },
  },
  {
    name: 'a listening connection that has gone silent is not noticed',
    edits: [
      {
        file: `${FOLDER}/listen-connection.ts`,
        from: 'if (!this.#isClosed) this.#cancelCheck',
        to: 'if (this.#isClosed) this.#cancelCheck',
      },
    ],
    test: {
      file: NOTIFIER_TEST,
      name: 'the notifier on PostgreSQL > finds out that its connection has gone silent',
    },
  },
  {
    name: 'what any session of the database sends is taken for an attempt',
    edits: [
      {
        file: `${FOLDER}/postgres-notifier.ts`,
        from: 'const attemptId = parseAttemptId(text);',
        to: 'const attemptId = parseAttemptId(text) ?? (text as AttemptId);',
      },
    ],
    test: {
      file: NOTIFIER_TEST,
      name: 'the notifier on PostgreSQL > hears of attempts only, whatever others send to its channel',
    },
  },
];
