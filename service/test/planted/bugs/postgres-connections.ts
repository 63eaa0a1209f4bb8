import type { PlantedBug } from '../support/planted-bug.ts';

const FOLDER = 'service/src/store/postgres';
const FAULTS = 'service/test/store/postgres/faults.test.ts';

/** Faults of a connection to PostgreSQL that are read wrongly. */
export const POSTGRES_CONNECTION_BUGS: readonly PlantedBug[] = [
  {
    name: 'the last connection closed for its age before there is another',
    edits: [
      {
        file: 'service/src/store/postgres/connections/connection-pool.ts',
        from: 'if (this.#isClosed || this.#open.size <= 1) return;',
        to: 'if (this.#isClosed) return;',
      },
      {
        file: 'service/src/store/postgres/connections/connection-pool.ts',
        from: 'if (this.#open.size > 1) this.#endIdle(connection);',
        to: 'if (this.#open.size > 0) this.#endIdle(connection);',
      },
    ],
    test: {
      file: 'service/src/store/postgres/connections/connection-pool.test.ts',
      name: 'the ages of connections > the last connection stays, however old, while there is no other',
    },
  },
  {
    name: 'a full disk forgotten at a write that needs no space',
    edits: [
      {
        file: 'service/src/store/postgres/connections/write-watch.ts',
        from: '    this.#quietLooks = 0;\n    this.#isStalled = false;\n  }\n\n  /**\n   * A write was not',
        to: '    this.#quietLooks = 0;\n    this.#full = null;\n    this.#isStalled = false;\n  }\n\n  /**\n   * A write was not',
      },
    ],
    test: {
      file: 'service/test/store/postgres/write-watch.test.ts',
      name: 'a full disk of the server: not ready for lack of space, until there is some',
    },
  },
  {
    name: 'another trial for each look while commits wait',
    edits: [
      {
        file: 'service/src/store/postgres/connections/write-watch.ts',
        from: 'if (!isDue || this.#isTrying) return;',
        to: 'if (!isDue) return;',
      },
    ],
    test: {
      file: 'service/test/store/postgres/write-watch.test.ts',
      name: 'a synchronous standby that is away: not ready though reads go on, and ready again by itself',
    },
  },
  {
    name: 'a commit without a table ends that writes were late',
    edits: [
      {
        file: 'service/src/store/postgres/connections/write-watch.ts',
        from: 'return this.#isLate ? TAKE_LOCKS : COMMIT_SOMETHING;',
        to: 'return COMMIT_SOMETHING;',
      },
      {
        file: 'service/src/store/postgres/connections/write-watch.ts',
        from: 'if (call === TAKE_LOCKS) this.#isLate = false;',
        to: 'if (call !== TAKE_LOCKS) this.#isLate = false;',
      },
    ],
    test: {
      file: 'service/test/threats/held-locks.test.ts',
      name: 'threat 106: while somebody holds a table of the database, the service is not ready',
    },
  },
  {
    name: 'a COMMIT that is answered with ROLLBACK is taken for a commit',
    edits: [
      {
        file: `${FOLDER}/connections/transaction.ts`,
        from: "if (answers.at(-1)?.command !== 'COMMIT')",
        to: "if (answers.at(-1)?.command === '')",
      },
    ],
    test: {
      file: FAULTS,
      name: 'a fault of a statement > a caller who goes on after a fault does not get a commit',
    },
  },
  {
    name: 'a commit whose wait for a standby was cancelled is taken for a commit',
    edits: [
      {
        file: `${FOLDER}/connections/transaction.ts`,
        from: 'if (warning !== null) {',
        to: "if (warning === '') {",
      },
    ],
    test: {
      file: FAULTS,
      name: 'a commit that waits for a standby that is not there > a transaction > a cancelled wait is answered as a success, and its outcome is unknown',
    },
  },
  {
    name: 'a connection that is lost after COMMIT is said to have written nothing',
    edits: [
      {
        file: `${FOLDER}/faults.ts`,
        from: 'return outcomeUnknown(fault.message);',
        to: 'return unavailable(fault.message);',
      },
    ],
    test: {
      file: FAULTS,
      name: 'a connection that is lost > a transaction, after COMMIT: storage.outcome_unknown',
    },
  },
  {
    name: "the server's message, which quotes values, is kept",
    edits: [
      {
        file: `${FOLDER}/faults.ts`,
        from: 'placeOf(error));',
        to: 'error.message);',
      },
    ],
    test: {
      file: FAULTS,
      name: "a fault of a statement > SELECT 'hunter2'::int: StatementError 22P02",
    },
  },
  {
    name: 'a former primary is accepted',
    edits: [
      {
        file: `${FOLDER}/server-check.ts`,
        from: 'if (timeline >= known.timeline) return;',
        to: 'if (timeline > 0) return;',
      },
    ],
    test: {
      file: 'service/test/store/postgres/server-check.test.ts',
      name: 'the server of a new connection > is refused when its timeline is older than one that was seen',
    },
  },
  {
    name: 'verify-full does not look at the name of the server',
    edits: [
      {
        file: `${FOLDER}/connections/client-config.ts`,
        from: "if (tlsMode === 'verify-full') return",
        to: "if (tlsMode === 'verify-full' && rootCertificateFile === '') return",
      },
    ],
    test: {
      file: 'service/test/store/postgres/tls.test.ts',
      name: 'TLS to the database > verify-full refuses another name than that of the certificate',
    },
  },
  {
    name: 'a part of a password is quoted in the fault of a database URL',
    edits: [
      {
        file: `${FOLDER}/connection-url.ts`,
        from: 'PARAMETER_NAME.test(name) && value.length > 0',
        to: 'name.length > 0',
      },
    ],
    test: {
      file: `${FOLDER}/connection-url.test.ts`,
      name: 'a database URL > "postgres://u:hunter2@localhost/d?hunter2" is refused, without quoting the password',
    },
  },
  {
    name: 'a commit on PostgreSQL is acknowledged before it is on disk',
    edits: [
      {
        file: `${FOLDER}/connections/client-config.ts`,
        from: "sslnegotiation: 'postgres',",
        to: "sslnegotiation: 'postgres',\n    options: '-c synchronous_commit=off',",
      },
    ],
    test: {
      file: 'service/test/e2e/postgres-kills.test.ts',
      name: 'two instances lose nothing acknowledged in kills of one or of the database',
    },
  },
  {
    name: 'a commit on PostgreSQL does not wait for the standby',
    edits: [
      {
        file: `${FOLDER}/connections/client-config.ts`,
        from: "sslnegotiation: 'postgres',",
        to: "sslnegotiation: 'postgres',\n    options: '-c synchronous_commit=local',",
      },
    ],
    test: {
      file: 'service/test/e2e/postgres-failover.test.ts',
      name: 'nothing acknowledged is lost when a primary is killed whose synchronous standby received nothing',
    },
  },
  {
    name: 'an ended connection is taken for a fault of the statement',
    edits: [
      { file: `${FOLDER}/connections/sql-state.ts`, from: "['08', '57P', ", to: "['08', " },
      {
        file: `${FOLDER}/connections/sql-state.ts`,
        from: "'55',\n  '57',",
        to: "'55',\n  '57014',",
      },
    ],
    test: {
      file: 'service/test/e2e/postgres-outages.test.ts',
      name: 'two instances under load lose nothing, and go on by themselves, > when all their connections are ended every 200 ms',
    },
  },
  {
    name: 'a database that is away names no time to come back',
    edits: [
      {
        file: `${FOLDER}/faults.ts`,
        from: "new Refusal('storage.unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, reason })",
        to: "new Refusal('storage.unavailable', { reason })",
      },
    ],
    test: {
      file: 'service/test/e2e/postgres-outages.test.ts',
      name: 'two instances under load lose nothing, and go on by themselves, > when the database is stopped for two seconds',
    },
  },
  {
    name: 'a write waits for others as long as for its own commit',
    edits: [
      {
        file: `${FOLDER}/commands/write-queue.ts`,
        from: 'timer.after(deadlineMs - waitMs, endBatch)',
        to: 'timer.after(deadlineMs, endBatch)',
      },
    ],
    test: {
      file: 'service/src/store/postgres/commands/write-queue.test.ts',
      name: 'waiting is part of the time of a unit: its batch has what is left of it',
    },
  },
  {
    name: 'a silent server is asked again by everybody who waits',
    edits: [
      {
        file: `${FOLDER}/connections/postgres-pool.ts`,
        from: 'if (this.#pool.answered === answered)',
        to: 'if (this.#pool.answered < answered)',
      },
    ],
    test: {
      file: FAULTS,
      name: 'a connection that is lost > after a deadline whose second half brought no answer, nobody else waits as long again',
    },
  },
  {
    name: 'of two primaries the first one in the URL is used',
    edits: [
      {
        file: `${FOLDER}/connections/connector.ts`,
        from: '(isChoice ? this.#connectToLatest() : this.#connectInTurn())',
        to: '(isChoice ? this.#connectInTurn() : this.#connectToLatest())',
      },
    ],
    test: {
      file: 'service/test/store/postgres/promotion.test.ts',
      name: 'of two primaries the one that was promoted later is used, in whatever order they are named',
    },
  },
  {
    name: 'a pooler that gives out processes by transaction is used',
    edits: [
      {
        file: 'service/src/store/postgres/server-check.ts',
        from: 'await requireOwnProcess(connection, way.openOther);',
        to: 'void requireOwnProcess;',
      },
    ],
    test: {
      file: 'service/test/store/postgres/poolers.test.ts',
      name: 'a pooler in between > in transaction mode is refused: that gives out the last process',
    },
  },
  {
    name: 'only what names a process of its own is asked whether it is a pooler',
    edits: [
      {
        file: 'service/src/store/postgres/server-check.ts',
        from: 'if (way.isNew || isPooled(facts, connection)) await',
        to: 'if (isPooled(facts, connection)) await',
      },
    ],
    test: {
      file: 'service/test/store/postgres/poolers.test.ts',
      name: 'a pooler in between > in transaction mode is refused: that names a process of the server',
    },
  },
];
