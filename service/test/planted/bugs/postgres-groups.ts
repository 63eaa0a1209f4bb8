import type { PlantedBug } from '../support/planted-bug.ts';

const FOLDER = 'service/src/store/postgres';
const GROUPS = 'service/test/store/postgres/statement-group.test.ts';

/** Faults of statements that are sent to PostgreSQL together. */
export const POSTGRES_GROUP_BUGS: readonly PlantedBug[] = [
  {
    name: 'an end of the connection behind COMMIT is taken for a failure before it',
    edits: [
      {
        file: `${FOLDER}/transaction.ts`,
        from: 'sent.answered() < calls.length - 1',
        to: 'sent.answered() !== calls.length - 1',
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
        file: `${FOLDER}/transaction.ts`,
        from: 'sent.answered() < calls.length - 1',
        to: 'sent.answered() < 0',
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
        file: `${FOLDER}/statement-group.ts`,
        from: 'if (place >= this.answered) this.#forget(place, name);',
        to: 'if (place < 0) this.#forget(place, name);',
      },
    ],
    test: {
      file: GROUPS,
      name: 'statements that are sent together > what failed at its first use, at its text, is prepared when it is used again',
    },
  },
];
