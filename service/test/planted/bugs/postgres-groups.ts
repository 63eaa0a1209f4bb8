import type { PlantedBug } from '../support/planted-bug.ts';

const FOLDER = 'service/src/store/postgres';
const FAULTS = 'service/test/store/postgres/faults.test.ts';
const GROUPS = 'service/test/store/postgres/statement-group.test.ts';

/** Faults of statements that are sent to PostgreSQL together. */
export const POSTGRES_GROUP_BUGS: readonly PlantedBug[] = [
  {
    name: 'an end of the connection behind COMMIT is taken for a failure before it',
    edits: [
      {
        file: `${FOLDER}/connections/transaction.ts`,
        from: 'if (unanswered === 0) return outcomeUnknown(fault.message);',
        to: 'if (unanswered === 0) return asNotDone(fault);',
      },
    ],
    test: {
      file: 'service/test/store/postgres/batch-faults.test.ts',
      name: 'a connection that is cut in the middle of a batch > at "COMMIT\\u0000", cut ended: all are told storage.outcome_unknown',
    },
  },
  {
    name: 'a failure before COMMIT is taken for one of COMMIT',
    edits: [
      {
        file: `${FOLDER}/connections/transaction.ts`,
        from: 'unanswered === 1 ||',
        to: 'unanswered >= 1 ||',
      },
    ],
    test: {
      file: GROUPS,
      name: 'what a transaction sends together with COMMIT > is not committed when the server ends the connection at it',
    },
  },
  {
    name: 'a statement that was never prepared is taken for one that is',
    edits: [
      {
        file: `${FOLDER}/connections/statement-group.ts`,
        from: 'if (place >= this.answered) this.#forget(name);',
        to: 'if (place < 0) this.#forget(name);',
      },
    ],
    test: {
      file: GROUPS,
      name: 'statements that are sent together > what failed at its first use, at its text, is prepared when it is used again',
    },
  },
  {
    name: 'an error behind COMMIT is believed when it says that nothing was done',
    edits: [
      {
        file: `${FOLDER}/connections/transaction.ts`,
        from: 'if (unanswered === 0) return outcomeUnknown(fault.message);',
        to: 'if (unanswered === 0) return commitFault(fault);',
      },
    ],
    test: {
      file: 'service/test/store/postgres/batch-faults.test.ts',
      name: 'a connection that is cut in the middle of a batch > at "COMMIT\\u0000", cut undone: all are told storage.outcome_unknown',
    },
  },
  {
    name: 'a transaction whose COMMIT was not understood is left open',
    edits: [
      {
        file: `${FOLDER}/connections/transaction.ts`,
        from: 'if (unanswered === 0) return outcomeUnknown(fault.message);',
        to: 'if (unanswered === 0) return outcomeUnknown(fault.message);\n    this.#isBegun = false;',
      },
    ],
    test: {
      file: FAULTS,
      name: 'a COMMIT that the server does not understand > is rolled back, and the connection is as good as before',
    },
  },
  {
    name: 'what failed twice is prepared under a name that the server still has',
    edits: [
      {
        file: `${FOLDER}/connections/statement-group.ts`,
        from: 'if (place >= this.answered) this.#forget(name);',
        to: 'if (place === this.answered) this.#forget(name); else if (place > this.answered) this.#prepared.columns.delete(name);',
      },
    ],
    test: {
      file: GROUPS,
      name: 'statements that are sent together > what failed twice, and the second time behind another one, is prepared at last',
    },
  },
  {
    name: 'the server is not asked for the warning that a commit has no standby',
    edits: [
      {
        file: `${FOLDER}/server-check.ts`,
        from: "'client_min_messages', 'warning'",
        to: "'application_name', 'warning'",
      },
    ],
    test: {
      file: FAULTS,
      name: 'settings of the role that would change what an answer means > warnings that are not sent: they are asked for',
    },
  },
];
