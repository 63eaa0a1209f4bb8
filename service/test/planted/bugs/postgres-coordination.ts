import type { PlantedBug } from '../support/planted-bug.ts';

const FOLDER = 'service/src/store/postgres/coordination';
const LIMITS_TEST = 'service/test/store/postgres/shared-limits.test.ts';
const KEYS_TEST = 'service/test/e2e/postgres-keys.test.ts';
const LEASES_TEST = 'service/test/store/postgres/attempt-leases.test.ts';
const THREE = 'three instances on PostgreSQL keeps the promises of the coordination ports';

/** Bugs in the state that instances share in PostgreSQL. */
export const POSTGRES_COORDINATION_BUGS: readonly PlantedBug[] = [
  {
    name: 'instances read a counter before they write it',
    edits: [
      {
        file: `${FOLDER}/shared-rate-limiter.ts`,
        from: 'THEN excluded.calls ELSE w.calls + excluded.calls END',
        to: `THEN excluded.calls ELSE excluded.calls + coalesce(
      (SELECT seen.calls FROM shared_rate_windows AS seen WHERE seen.name = excluded.name), 0) END`,
      },
    ],
    test: {
      file: LIMITS_TEST,
      name: 'instances whose statements wait for each other count on from what the one before has written',
    },
  },
  {
    name: 'a late request for a limit lets all others wait too',
    edits: [
      {
        file: `${FOLDER}/limiter-with-fallback.ts`,
        from: 'if (this.#late > 0)',
        to: 'if (this.#late < 0)',
      },
    ],
    test: {
      file: `${FOLDER}/limiter-with-fallback.test.ts`,
      name: 'while an answer is late nobody else waits for one, and afterwards all ask again',
    },
  },
  {
    name: 'work that is late ends the lease of the next one',
    edits: [
      {
        file: `${FOLDER}/attempt-leases.ts`,
        from: 'AND holder = $2`',
        to: "AND $2 <> ''`",
      },
    ],
    test: {
      file: LEASES_TEST,
      name: 'work that outlives its lease does not end the lease of the next one',
    },
  },
  {
    name: 'the lease of a dead instance never ends',
    edits: [
      {
        file: `${FOLDER}/attempt-leases.ts`,
        from: 'WHERE lease.ends_at <= clock_timestamp()\nRETURNING',
        to: "WHERE lease.ends_at <= clock_timestamp() - interval '1 hour'\nRETURNING",
      },
    ],
    test: {
      file: LEASES_TEST,
      name: 'the lock of an instance that has died passes on when its lease ends, and not before',
    },
  },
  {
    name: 'all instances that find a question due ask it',
    edits: [
      {
        file: `${FOLDER}/shared-status-polls.ts`,
        from: 'AND questions = $2 AND next_at <= $4',
        to: 'AND questions >= $2 AND $4::bigint > 0',
      },
    ],
    test: {
      file: 'service/test/store/postgres/coordination.test.ts',
      name: `${THREE} > statusPolls > L-31: of 64 claims at once, at two instances, one is due`,
    },
  },
  {
    name: 'a decision stays at the instance that got it',
    edits: [
      {
        file: 'service/src/simulate/simulated-prompts.ts',
        from: 'const { past } = await this.#kept.soonOf(attempt.attemptId, now);',
        to: 'const { past } = { ...(await this.#kept.soonOf(attempt.attemptId, now)), past: null };',
      },
    ],
    test: {
      file: 'service/src/simulate/simulated-provider.test.ts',
      name: 'deciding > is kept for every instance while its result is not there',
    },
  },
  {
    name: 'an instance that decides leaves the result to whoever asks next',
    edits: [
      {
        file: 'service/src/simulate/hosted/hosted-prompts.ts',
        from: 'const stored = await storeResult(services, current, news, { at: now, completion: null });',
        to: 'const stored = current;',
      },
    ],
    test: {
      file: 'service/test/e2e/postgres-simulator.test.ts',
      name: 'a prompt of any instance > of the phone flow is listed and approved at the second, and redeemed at the third',
    },
  },
  {
    name: 'a note is written whatever version it has',
    edits: [
      {
        file: `${FOLDER}/postgres-notes.ts`,
        from: ' AND version = $5 ',
        to: ' AND $5::bigint > 0 ',
      },
    ],
    test: {
      file: 'service/test/store/postgres/coordination.test.ts',
      name: `${THREE} > notes > L-40: a note of another version is not replaced, and one that is there is not new`,
    },
  },
  {
    name: 'an exchange is repeated only under the own key',
    edits: [
      {
        file: 'service/src/attempt/redeem/replay-redemption.flow.ts',
        from: 'allKeys(services.keys).find(',
        to: '[services.keys.current].find(',
      },
    ],
    test: {
      file: KEYS_TEST,
      name: 'an exchange is repeated at an instance with the other key, and gives the same token',
    },
  },
  {
    name: 'an instance writes on after a command was alone on the database',
    edits: [
      {
        file: 'service/src/store/postgres/presence/presence.ts',
        from: 'if (this.#epoch !== null && this.#epoch !== found)',
        to: 'if (this.#epoch !== null && found === null)',
      },
    ],
    test: {
      file: 'service/test/threats/presence.test.ts',
      name: 'threat 105: an instance that is frozen counts as there, and writes nothing after a command',
    },
  },
  {
    name: 'a command that has to be alone does not look who runs',
    edits: [
      {
        file: 'service/src/store/postgres/presence/presence.ts',
        from: 'if (others.length > 0 || !isTaken(rows)) {',
        to: 'if (others.length > 99) {',
      },
    ],
    test: {
      file: 'service/test/e2e/postgres-alone.test.ts',
      name: 'beside an instance that runs, the command restore changes nothing, and says which one it is',
    },
  },
  {
    name: 'an instance starts while a command has to be alone',
    edits: [
      {
        file: 'service/src/store/postgres/presence/sessions.ts',
        from: "return rows[0]?.['taken'] === true;",
        to: "return rows[0]?.['taken'] !== undefined;",
      },
    ],
    test: {
      file: 'service/test/store/postgres/presence.test.ts',
      name: 'while a command is alone on a database no program gets in, and one that waits goes on after it',
    },
  },
  {
    name: 'a session that nobody knows is overlooked',
    edits: [
      {
        file: 'service/src/store/postgres/presence/who-fits.ts',
        from: "return !isPresent && (program === '' || program === plainName);",
        to: 'return !isPresent && program === plainName;',
      },
    ],
    test: {
      file: 'service/test/store/postgres/presence.test.ts',
      name: 'a session that nobody knows counts as there, and one of another program does not',
    },
  },
  {
    name: 'an instance starts beside a strict one',
    edits: [
      {
        file: 'service/src/store/postgres/presence/who-fits.ts',
        from: 'if (own.strict === null) return null;',
        to: 'if (own.strict !== 0) return null;',
      },
    ],
    test: {
      file: 'service/test/e2e/postgres-alone.test.ts',
      name: 'beside an instance that runs, a strict one does not start',
    },
  },
  {
    name: 'an instance does not look which keys the others have',
    edits: [
      {
        file: 'service/src/store/postgres/presence/who-fits.ts',
        from: 'if (keyFault !== undefined) return keyFault;',
        to: "if (keyFault === 'never') return keyFault;",
      },
    ],
    test: {
      file: KEYS_TEST,
      name: 'an instance with a key that a running one does not know does not start, and says why',
    },
  },
  {
    name: 'pushes under the other key of the service are not counted',
    edits: [
      {
        file: 'service/src/store/sql/stores/pushes.ts',
        from: 'steps: [...adoptions, admit],',
        to: 'steps: adoptions.length > 9 ? adoptions : [admit],',
      },
    ],
    test: {
      file: 'service/test/store/postgres/two-keys.test.ts',
      name: 'S-54: one person gets their budget once, whichever key counts',
    },
  },
  {
    name: 'a login looks for its person under the own key only',
    edits: [
      {
        file: 'service/src/store/sql/stores/attempts.ts',
        from: 'const retired = identities.retiredDigestsOf(change.person);',
        to: 'const retired = identities.retiredDigestsOf(change.person).slice(9);',
      },
    ],
    test: {
      file: 'service/test/store/postgres/two-keys.test.ts',
      name: 'S-14: 96 first logins of one person, with either key, make one user',
    },
  },
  {
    name: 'an instance goes by the clock of its machine',
    edits: [
      {
        file: 'service/src/platform/runtime.ts',
        from: '      this.#offset = offset;\n    } else if (time',
        to: '      this.#last = Number.NEGATIVE_INFINITY;\n    } else if (time',
      },
    ],
    test: {
      file: 'service/test/store/postgres/clocks.test.ts',
      name: 'two instances whose machines are minutes apart agree about what has expired',
    },
  },
  {
    name: 'an instance goes back with the clock of the database',
    edits: [
      {
        file: 'service/src/platform/runtime.ts',
        from: 'this.#offset = Math.max(Math.min(offset, this.#offset), slowed);',
        to: 'this.#offset = Math.min(offset, slowed);',
      },
      {
        file: 'service/src/platform/runtime.ts',
        from: 'this.#last = Math.max(this.#last, Math.floor(',
        to: 'this.#last = Math.max(0, Math.floor(',
      },
    ],
    test: {
      file: 'service/src/platform/clock.test.ts',
      name: 'R-1, R-12: does not go back with the database, but comes near to it',
    },
  },
  {
    name: 'an instance refuses a schema to which a later version has added',
    edits: [
      {
        file: 'service/src/store/postgres/migrations/migrate.ts',
        from: '!known.has(name) && !isAddition(name)',
        to: '!known.has(name)',
      },
    ],
    test: {
      file: 'service/test/e2e/postgres-schema.test.ts',
      name: 'no request fails while a later version migrates, is killed in the middle, and resumes',
    },
  },
];
