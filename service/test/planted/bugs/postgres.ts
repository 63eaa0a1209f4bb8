import type { PlantedBug } from '../support/planted-bug.ts';

const MIGRATE = 'service/src/store/postgres/migrations/migrate.ts';
const AUDIT_LOG = 'service/src/store/postgres/migrations/0003-audit-log.ts';
const MIGRATIONS_TEST = 'service/test/store/postgres/migrations.test.ts';
const AUDIT_TEST = 'service/test/store/postgres/audit-tables.test.ts';
const WRITE_QUEUE = 'service/src/store/postgres/commands/write-queue.ts';
const WRITE_QUEUE_TEST = 'service/src/store/postgres/commands/write-queue.test.ts';
const DIFFERENTIAL_TEST = 'service/test/store/postgres/differential.test.ts';
const SAME_AS_MODEL =
  'S-12 to S-91: random operations give the same on every engine as on the model';
const AT_ONCE = '20 migrators at once all succeed, and each migration is applied once';

/** Bugs in the schema of PostgreSQL, and in how it is brought up to date. */
export const POSTGRES_BUGS: readonly PlantedBug[] = [
  {
    name: 'several instances migrate PostgreSQL at once',
    edits: [
      {
        file: 'service/src/store/postgres/own-locks.ts',
        from: 'SELECT pg_advisory_xact_lock$',
        to: 'SELECT pg_advisory_xact_lock_shared$',
      },
    ],
    test: { file: MIGRATIONS_TEST, name: AT_ONCE },
  },
  {
    name: 'who waited for a migration does not see it',
    edits: [{ file: MIGRATE, from: "'BEGIN ISOLATION LEVEL READ COMMITTED'", to: "'BEGIN'" }],
    test: { file: MIGRATIONS_TEST, name: AT_ONCE },
  },
  {
    name: 'a migration of PostgreSQL is committed in two parts',
    edits: [
      {
        file: MIGRATE,
        from: '  const { name } = migration;\n',
        to: "  const { name } = migration;\n  for (const sql of ['COMMIT', 'BEGIN', TAKE_MIGRATION_LOCK]) await run(connection, sql);\n",
      },
    ],
    test: {
      file: MIGRATIONS_TEST,
      name: 'a migration that is killed 20 times, each time at another statement, resumes',
    },
  },
  {
    name: 'a migration that met in a deadlock ends',
    edits: [
      { file: MIGRATE, from: 'deadlocks > MOST_DEADLOCKS', to: 'deadlocks > MOST_DEADLOCKS - 5' },
    ],
    test: {
      file: MIGRATIONS_TEST,
      name: 'a migration that the server ends for a deadlock with a request is run again',
    },
  },
  {
    name: 'the audit log of PostgreSQL can be emptied',
    edits: [
      {
        file: AUDIT_LOG,
        from: 'CREATE TRIGGER audit_log_is_not_emptied BEFORE TRUNCATE ON audit_log ',
        to: 'CREATE TRIGGER audit_log_is_not_emptied BEFORE TRUNCATE ON audit_head ',
      },
    ],
    test: { file: AUDIT_TEST, name: 'the log > refuses TRUNCATE audit_log' },
  },
  {
    name: 'the audit log of PostgreSQL may have gaps',
    edits: [{ file: AUDIT_LOG, from: ' AND rows = last - first + 1', to: '' }],
    test: { file: AUDIT_TEST, name: 'a row is not added with a gap' },
  },
  {
    name: 'the ids of users are set back in PostgreSQL',
    edits: [
      {
        file: 'service/src/store/postgres/migrations/0001-attempts-users-tokens.ts',
        from: 'IF last > last_user_id() THEN',
        to: 'IF last > 0 THEN',
      },
    ],
    test: {
      file: 'service/test/store/postgres/schema.test.ts',
      name: 'the id of a user is given once: after a delete, a rollback, and up to what it was raised to',
    },
  },
  {
    name: 'a copy of a PostgreSQL database gives ids of users again',
    edits: [
      {
        file: 'service/src/store/postgres/migrations/0010-user-ids.ts',
        from: '(SELECT oid FROM pg_database WHERE datname = current_database())',
        to: "''",
      },
    ],
    test: {
      file: 'service/test/threats/user-ids.test.ts',
      name: 'threat 97: an id that an application holds is never another person’s > in a database that pg_restore has restored, with the command and without it',
    },
  },
  {
    name: 'two databases that were copied beside a clock that is behind give the same ids',
    edits: [
      {
        file: 'service/src/store/postgres/migrations/0015-unknown-user-ids.ts',
        from: 'place := floor(random() * 10000000000000)::bigint;',
        to: 'place := 1;',
      },
    ],
    test: {
      file: 'service/test/threats/user-ids.test.ts',
      name: 'threat 97: an id that an application holds is never another person’s > in each of two restores of one backup, with a clock that is behind it > of a database, by the command and without it',
    },
  },
  {
    name: 'rows that many commands got by one statement on PostgreSQL are mixed up',
    edits: [
      {
        file: 'service/src/store/postgres/commands/step-calls.ts',
        from: 'const row = found.get(valueOf(step, key));',
        to: 'const row = [...found.values()][steps.indexOf(step)];',
      },
    ],
    test: { file: DIFFERENTIAL_TEST, name: SAME_AS_MODEL },
  },
  {
    name: 'a wrong completion code counts twice on PostgreSQL',
    edits: [
      {
        file: 'service/src/store/postgres/statements.generated.ts',
        from: 'set "completion_misses" = completion_misses + 1',
        to: 'set "completion_misses" = completion_misses + 2',
      },
    ],
    test: { file: DIFFERENTIAL_TEST, name: SAME_AS_MODEL },
  },
  {
    name: 'a write that touches everything on PostgreSQL is overtaken',
    edits: [
      {
        file: WRITE_QUEUE,
        from: "if (one.unit.touches === 'everything' || batch.length",
        to: "if (one.unit.touches === 'everything' && batch.length",
      },
    ],
    test: {
      file: WRITE_QUEUE_TEST,
      name: 'the order of writes > what touches everything is alone, and nothing overtakes it',
    },
  },
  {
    name: 'units that touch the same share a batch on PostgreSQL',
    edits: [
      {
        file: WRITE_QUEUE,
        from: '!mayShareBatch(name)) blocked.add(name);',
        to: '!mayShareBatch(name)) blocked.delete(name);',
      },
    ],
    test: {
      file: WRITE_QUEUE_TEST,
      name: 'the order of writes > what touches the same is under way one at a time, in its order',
    },
  },
];
