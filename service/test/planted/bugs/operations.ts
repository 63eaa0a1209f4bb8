import type { PlantedBug } from '../support/planted-bug.ts';

const METRICS = 'service/test/threats/metrics.test.ts';

/** Bugs in what an operator is told. */
export const OPERATIONS_BUGS: readonly PlantedBug[] = [
  {
    name: 'a store that was moved has no fence',
    edits: [
      {
        file: 'service/src/store/sql/move.ts',
        from: "await source.ask(SET_FENCE({ kind: 'moved', place: target.place, at }));\n",
        to: '',
      },
    ],
    test: {
      file: 'service/test/threats/moved-stores.test.ts',
      name: 'threat 131: what was ended in a store that was moved is good nowhere else',
    },
  },
  {
    name: 'a move does not compare what it has copied',
    edits: [
      {
        file: 'service/src/store/sql/move.ts',
        from: 'if (to.get(name) !== count)',
        to: 'if (to.get(name) === undefined)',
      },
    ],
    test: {
      file: 'service/test/store/postgres/killed-moves.test.ts',
      name: 'a copy that lacks rows is not committed, and the source stays as it was',
    },
  },
  {
    name: 'a moved copy can be used before its source is fenced',
    edits: [
      {
        file: 'service/src/store/sql/move.ts',
        from: "await target.ask(SET_FENCE({ kind: 'arriving', place: source.place, at }));\n",
        to: '',
      },
    ],
    test: {
      file: 'service/test/store/postgres/killed-moves.test.ts',
      name: 'a move from file to database that is killed at any step leaves one store, and the next one finishes',
    },
  },
  {
    name: 'a service with DATABASE_URL begins without the people of its file',
    edits: [
      {
        file: 'service/src/operate/move/left-behind.ts',
        from: "if (people === 0 || people === 'fenced') return null;",
        to: "if (people !== 'unreadable') return null;",
      },
    ],
    test: {
      file: 'service/test/threats/moved-stores.test.ts',
      name: 'threat 131: DATABASE_URL beside people in a file is told, with the command',
    },
  },
  {
    name: 'one more instance begins a store',
    edits: [
      {
        file: 'service/src/program/program.ts',
        from: 'if (mayBegin || (await store.auditHead()).count > 0) return;',
        to: 'if (mayBegin || (await store.auditHead()).count >= 0) return;',
      },
    ],
    test: {
      file: 'service/test/threats/moved-stores.test.ts',
      name: 'threat 131: one more instance begins no store while the people are left in a file',
    },
  },
  {
    name: 'a file that can not be read taken for one without people',
    edits: [
      {
        file: 'service/src/operate/move/left-behind.ts',
        from: 'return isEmpty ? unreadable(dataDir) : null;',
        to: 'return null;',
      },
    ],
    test: {
      file: 'service/test/threats/moved-stores.test.ts',
      name: 'threat 131: a file that is cut off, so that nobody knows who is in it, is no file without people',
    },
  },
  {
    name: 'a database that was begun without the people of a file is taken for the store',
    edits: [
      {
        file: 'service/src/operate/move/left-behind.ts',
        from: 'if (await isBegunWithout(config, compared))',
        to: 'if (isEmpty)',
      },
    ],
    test: {
      file: 'service/test/threats/moved-stores.test.ts',
      name: 'threat 131: a database that was begun by mistake, and used, is not taken for the store',
    },
  },
  {
    name: 'a service whose DATABASE_URL was forgotten begins without its people in a file',
    edits: [
      {
        file: 'service/src/program/store-needs.ts',
        from: 'return [...warnings, ...refuseForgottenDatabase(config)];',
        to: 'return warnings;',
      },
    ],
    test: {
      file: 'service/test/e2e/move.test.ts',
      name: 'a store is moved to a database and back, and everybody goes on',
    },
  },
  {
    name: 'a service that was moved back to a file is told to set DATABASE_URL',
    edits: [
      {
        file: 'service/src/operate/move/move.ts',
        from: 'if (!isDatabase) forgetServer(folder);',
        to: '',
      },
    ],
    test: {
      file: 'service/test/e2e/move.test.ts',
      name: 'a store is moved to a database and back, and everybody goes on',
    },
  },
  {
    name: 'keys are rotated while an instance writes with the earlier one',
    edits: [
      {
        file: 'service/src/commands/keys.ts',
        from: "if (writers !== '') return context.fail(stillWrites(writers));",
        to: '',
      },
    ],
    test: {
      file: 'service/test/e2e/postgres-keys.test.ts',
      name: 'an exchange is repeated at an instance with the other key, and gives the same token',
    },
  },
  {
    name: 'a service on a file does not say what it writes with since its start',
    edits: [
      {
        file: 'service/src/program/open-store.ts',
        from: 'file.begin([keyNumber(keys.current)]);',
        to: '',
      },
    ],
    test: {
      file: 'service/test/live/keys-again.test.ts',
      name: 'miftah keys rotate beside a file > does nothing while the service writes with another key, over a signal, a kill and a start',
    },
  },
  {
    name: 'a service on a file goes on saying what it wrote with before a signal',
    edits: [
      {
        file: 'service/src/program/open-store.ts',
        from: 'file.show(writes.map(keyNumber))',
        to: 'void writes',
      },
    ],
    test: {
      file: 'service/test/live/keys-again.test.ts',
      name: 'miftah keys rotate beside a file > does nothing while the service writes with another key, over a signal, a kill and a start',
    },
  },
  {
    name: 'keys are rotated beside a service on a file that writes with the earlier one',
    edits: [
      {
        file: 'service/src/program/open-store.ts',
        from: 'return shown.every((one) => one === keyNumber(key))',
        to: 'return shown.length > 0',
      },
    ],
    test: {
      file: 'service/test/live/keys-again.test.ts',
      name: 'miftah keys rotate beside a file > does nothing while the service writes with another key, over a signal, a kill and a start',
    },
  },
  {
    name: 'two users of one person end every rotation of the keys',
    edits: [
      {
        file: 'service/src/store/sql/stores/users.ts',
        from: 'if (twins.length === 0) throw error;',
        to: 'if (twins.length >= 0) return { sealed: 0, twins: [] };',
      },
    ],
    test: {
      file: 'service/test/store/changed-keys.test.ts',
      name: 'S-63: two users of one person stay as they are, and everybody else is sealed anew',
    },
  },
  {
    name: 'a file is said to be settled while a write is under way',
    edits: [
      {
        file: 'service/src/store/sql/under-way.ts',
        from: 'await Promise.allSettled(this.#answers);',
        to: 'void this.#answers;',
      },
    ],
    test: {
      file: 'service/test/store/changed-keys.test.ts',
      name: 'what has begun is written when a file is settled',
    },
  },
  {
    name: 'a restore in an empty database gives up the people of a file',
    edits: [
      {
        file: 'service/src/operate/restore/restore.ts',
        from: 'await requireNobodyLeft(config, store, () => needs.keys);',
        to: 'void requireNobodyLeft;',
      },
    ],
    test: {
      file: 'service/test/threats/moved-stores.test.ts',
      name: 'threat 131: doctor and restore say of an empty database beside people what a start says',
    },
  },
  {
    name: 'a command makes an empty database beside the people of a file one that is in use',
    edits: [
      {
        file: 'service/src/program/operator.ts',
        from: 'await requireNobodyLeft(config, store, () => keysOf(config));\n        await store.bindTo',
        to: 'await store.bindTo',
      },
    ],
    test: {
      file: 'service/test/threats/moved-stores.test.ts',
      name: 'threat 131: doctor and restore say of an empty database beside people what a start says',
    },
  },
  {
    name: 'a restored backup lets in who was erased and kept out since',
    edits: [
      {
        file: 'service/src/store/sql/stores/operator.ts',
        from: 'const known = [...(await Promise.all(people)), ...(await keptOutUsers(parts, change.keptOut))];',
        to: 'const known = [...(await Promise.all(people)), ...(await keptOutUsers(parts, []))];',
      },
    ],
    test: {
      file: 'service/test/store/conformance.test.ts',
      name: 'SQLite keeps the promises of the store port > recovery > S-77, S-105: who was erased and kept out since is kept out, and disabled if there',
    },
  },
  {
    name: 'who is let back is still kept out under an earlier key',
    edits: [
      {
        file: 'service/src/store/sql/stores/users.ts',
        from: 'return identities.digestsOf(person).map(',
        to: 'return identities.digestsOf(person).slice(0, 1).map(',
      },
    ],
    test: {
      file: 'service/test/store/changed-keys.test.ts',
      name: 'S-103: who is enabled is not kept out any more, under whichever key that was written',
    },
  },
  {
    name: 'a revocation misses what a clock that is ahead has begun',
    edits: [
      {
        file: 'service/src/store/sql/stores/tokens.ts',
        from: ', step(sql.dateBack, { at })]',
        to: ']',
      },
    ],
    test: {
      file: 'service/test/threats/revoked-sign-ins.test.ts',
      name: 'threat 100: a revocation, and what is under way > --user: also what began by the clock of a service that is ahead of the command’s',
    },
  },
  {
    name: 'a span has the address of the request',
    edits: [
      {
        file: 'service/src/request/record/observe-requests.ts',
        from: "const route = request.routeOptions.url ?? 'unknown';",
        to: 'const route = request.url;',
      },
    ],
    test: {
      file: 'service/test/live/traces.test.ts',
      name: 'traces > lead from a request to the store and the provider, and name nobody',
    },
  },
  {
    name: 'everybody may join a trace',
    edits: [
      {
        file: 'service/src/request/record/observe-requests.ts',
        from: "return isBelieved && typeof traceparent === 'string' ? traceparent : undefined;",
        to: "return isBelieved || typeof traceparent === 'string' ? String(traceparent) : undefined;",
      },
    ],
    test: {
      file: 'service/test/live/traces.test.ts',
      name: 'traces > do not follow a caller that is no trusted proxy',
    },
  },
  {
    name: 'the log says who was erased',
    edits: [
      {
        file: 'service/src/store/sql/stores/personal-data.ts',
        from: "audit: [entry({ at, action: 'user.erased' })],",
        to: "audit: [entry({ at, action: 'user.erased', userId: id })],",
      },
    ],
    test: {
      file: 'service/test/e2e/erasure.test.ts',
      name: 'a person > is erased from SQLite beside the running service, from the raw files too, and the log verifies',
    },
  },
  {
    name: 'erasing leaves the pages that nothing uses as they are',
    edits: [
      {
        file: 'service/src/store/sqlite/compact.ts',
        from: 'PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; VACUUM',
        to: 'PRAGMA secure_delete = ON',
      },
      {
        file: 'service/src/store/sqlite/compact.ts',
        from: "database.prepare('PRAGMA wal_checkpoint(TRUNCATE)')",
        to: "database.prepare('PRAGMA wal_checkpoint(PASSIVE)')",
      },
    ],
    test: {
      file: 'service/test/e2e/erasure.test.ts',
      name: 'a person > is erased from SQLite beside the running service, from the raw files too, and the log verifies',
    },
  },
  {
    name: 'a restored backup brings back who was erased since',
    edits: [
      {
        file: 'service/src/operate/restore/restore.ts',
        from: 'await recoverStaged(needs, stage, change, gone ?? []);',
        to: 'await recoverStaged(needs, stage, change, (gone ?? []).slice(9));',
      },
    ],
    test: {
      file: 'service/test/threats/restore.test.ts',
      name: 'threat 64: a backup brings back what was ended since > restored, it refuses all of that on the very first request',
    },
  },
  {
    name: 'an attempt that begins while its person is erased stays',
    edits: [
      {
        file: 'service/src/store/sql/stores/personal-data.ts',
        from: 'if (late.length === 0) return erased;',
        to: 'if (late.length < 1_000_000) return erased;',
      },
    ],
    test: {
      file: 'service/test/store/conformance.test.ts',
      name: 'SQLite keeps the promises of the store port > personal data > S-102: of the attempts that begin meanwhile, all from before the erasure are gone',
    },
  },
  {
    name: 'a disabled user is erased without a decision',
    edits: [
      {
        file: 'service/src/store/sqlite/statements.generated.ts',
        from: 'from "users" where "id" = ? and ("disabled_at" is null or ? = 1)',
        to: 'from "users" where "id" = ? and ("disabled_at" is null or ? < 2)',
      },
    ],
    test: {
      file: 'service/test/store/conformance.test.ts',
      name: 'SQLite keeps the promises of the store port > personal data > S-103: a disabled user is erased only after a decision',
    },
  },
  {
    name: 'a limit by number removes attempts that are open',
    edits: [
      {
        file: 'service/src/operate/trim.flow.ts',
        from: 'attemptsBefore: Math.min(cutoffs.attempts ?? 0, now - SHORTEST_RETENTION_MS),',
        to: 'attemptsBefore: Math.min(cutoffs.attempts ?? 0, now + SHORTEST_RETENTION_MS * 9),',
      },
    ],
    test: {
      file: 'service/src/operate/trim.flow.test.ts',
      name: 'trimming > keeps what is open, and what has expired in the last two minutes',
    },
  },
  {
    name: 'the doctor opens a store that nobody uses as one that may change',
    edits: [
      {
        file: 'service/src/store/sqlite/inspect-store.ts',
        from: 'const isInUse = existsSync(`${file}-wal`);',
        to: "const isInUse = file !== '' || existsSync(`${file}-wal`);",
      },
    ],
    test: {
      file: 'service/test/live/doctor.test.ts',
      name: 'miftah doctor > writes nothing, also where no service runs',
    },
  },
  {
    name: 'readyz tells everybody what the database said',
    edits: [
      {
        file: 'service/src/operate/readiness.flow.ts',
        from: "return [{ check: 'store', reason, remedy, fault: health.reason }];",
        to: "return [{ check: 'store', reason: health.reason, remedy, fault: reason }];",
      },
    ],
    test: {
      file: 'service/test/api/readiness.test.ts',
      name: '/readyz names the check "store" and what to do, and not what was said',
    },
  },
  {
    name: 'requests counted by their address instead of their route',
    edits: [
      {
        file: 'service/src/request/app.ts',
        from: 'count(reply, config.meter);',
        to: 'count(reply, context.services.meter.route(request.method, request.url));',
      },
    ],
    test: {
      file: METRICS,
      name: 'threat 71: the numbers tell of people > after many sign-ins and attacks no label has a value of a caller',
    },
  },
  {
    name: 'the listener of the numbers answers every host',
    edits: [
      {
        file: 'service/src/request/metrics-listener.ts',
        from: 'if (isAllowedHost(context, host)) return true;',
        to: "if (isAllowedHost(context, host) || host !== '') return true;",
      },
    ],
    test: {
      file: METRICS,
      name: 'threat 71: the listener of the numbers > answers a request for the host "evil.example" with 421',
    },
  },
  {
    name: 'the numbers stay on the public port too',
    edits: [
      {
        file: 'service/src/program/routes.ts',
        from: 'settings.metrics ? [metrics] : []',
        to: "settings.metrics || settings.mode !== 'simulator' ? [metrics] : []",
      },
    ],
    test: {
      file: METRICS,
      name: 'threat 71: the listener of the numbers > takes them away from the public address',
    },
  },
  {
    name: 'an end is counted when it is asked for, not when it is written',
    edits: [
      {
        file: 'service/src/attempt/finish/end-attempt.flow.ts',
        from: "if (failed !== null) meter.signIn('failed', failed, end.reason);",
        to: "meter.signIn('failed', failed ?? { flow: 'mfa', createdAt: end.at }, end.reason);",
      },
    ],
    test: {
      file: 'service/src/attempt/finish/end-attempt.flow.test.ts',
      name: 'failed: an end is counted when it is written, not when it is asked again',
    },
  },
];
