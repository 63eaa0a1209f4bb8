import type { PlantedBug } from '../support/planted-bug.ts';

/** The compiled statements that run; the queries are not used at run time. */
const STATEMENTS = 'service/src/store/sqlite/statements.generated.ts';

const POWER_CUTS = {
  file: 'service/test/e2e/power-cuts.test.ts',
  name: 'loses nothing that it acknowledged in 100 power cuts',
};

const IO_FAULTS = {
  file: 'service/test/e2e/io-faults.test.ts',
  name: 'loses nothing that it acknowledged when a write or a flush of the disk fails',
};

/** Bugs in the store's writes and durability. */
export const STORE_BUGS: readonly PlantedBug[] = [
  {
    name: 'a cancel is taken for a refusal by the person',
    edits: [
      {
        file: STATEMENTS,
        from: `and "end_reason" <> 'attempt.cancelled') or`,
        to: `and "end_reason" <> '') or`,
      },
    ],
    test: {
      file: 'service/test/threats/cancelled.test.ts',
      name: 'threat 110: starts that are cancelled, to send one person more prompts > the next start is let in at once, and the one after three is not',
    },
  },
  {
    name: 'a token that is valid again after its revocation is not missed',
    edits: [
      {
        file: STATEMENTS,
        from: 'where revoked_at is null and exists (select 1 from audit_log',
        to: 'where 1 = 0 and exists (select 1 from audit_log',
      },
    ],
    test: {
      file: 'service/test/store/audit.test.ts',
      name: 'S-85: what was undone in the store is missed > a revoked token is valid',
    },
  },
  {
    name: 'the retention makes a changed row of the audit log official',
    edits: [
      {
        file: 'service/src/store/sql/stores/audit.ts',
        from: 'return isWrong ? unproven : { count, hash };',
        to: 'return { count, hash };',
      },
    ],
    test: {
      file: 'service/test/store/audit.test.ts',
      name: 'S-87: the front is cut > and not where it has a changed first row',
    },
  },
  {
    name: 'a lost key under which nobody is sealed is not given up',
    edits: [
      {
        file: 'service/src/store/sql/stores/users.ts',
        from: 'if (lost > 0 || !(await parts.engine.read(canVerifyLastRow(parts)))) {',
        to: 'if (lost > 0) {',
      },
    ],
    test: {
      file: 'service/test/store/vault.test.ts',
      name: 'S-75: a key that proved only the audit log is given up with every attempt, and nobody',
    },
  },
  {
    name: 'identities sealed without their place',
    edits: [
      {
        file: 'service/src/platform/keys/vault.ts',
        from: 'const parts = [id, table, row, column];',
        to: 'const parts = [id];',
      },
    ],
    test: {
      file: 'service/test/store/vault.test.ts',
      name: 'S-62: who alters the file is noticed > any column, swapped between two rows',
    },
  },
  {
    name: 'a session is replaced after a browser was bound to it',
    edits: [
      {
        file: STATEMENTS,
        from: `"browser_digest" = ? where "attempt_id" = ? and "kind" = 'redirect' and "browser_digest" is null
`,
        to: `"browser_digest" = ? where "attempt_id" = ? and "kind" = 'redirect'
`,
      },
    ],
    test: {
      file: 'service/test/store/conformance.test.ts',
      name: 'SQLite keeps the promises of the store port > launches > S-47: not once a browser was let in, not even for that one',
    },
  },
  {
    name: 'commits behind a damaged place of the log are left out',
    edits: [
      {
        file: 'service/src/store/sqlite/open-sqlite-store.ts',
        from: 'verifyLog: true',
        to: 'verifyLog: false',
      },
    ],
    test: {
      file: 'service/test/e2e/damage.test.ts',
      name: 'refuses a damaged store with advice, or opens it with every row that the disk still has',
    },
  },
  {
    name: 'the rest of a commit that was cut off is taken for damage',
    edits: [
      {
        file: 'service/src/store/sqlite/thread/log-chain.ts',
        from: 'if (isNext && this.#isBroken && this.#isBehindCommit)',
        to: 'if (isNext && this.#isBroken)',
      },
    ],
    test: {
      file: 'service/test/store/log-damage.test.ts',
      name: 'nothing that power cuts leave in one log is taken for damage',
    },
  },
  {
    name: 'synchronous=NORMAL',
    edits: [
      {
        file: 'service/src/store/sqlite/open-sqlite-store.ts',
        from: "{ name: 'synchronous', value: 'FULL', expected: 2 }",
        to: "{ name: 'synchronous', value: 'NORMAL', expected: 1 }",
      },
    ],
    test: {
      file: 'service/test/store/sqlite-file.test.ts',
      name: 'the writer > flushes the log at every commit, in write-ahead-log mode',
    },
  },
  {
    name: 'a power cut loses what is not flushed at its commit',
    edits: [
      {
        file: 'service/src/store/sqlite/open-sqlite-store.ts',
        from: "{ name: 'synchronous', value: 'FULL', expected: 2 }",
        to: "{ name: 'synchronous', value: 'NORMAL', expected: 1 }",
      },
    ],
    test: POWER_CUTS,
  },
  {
    name: 'a new key is not flushed',
    edits: [
      {
        file: 'service/src/platform/files/durable-file.ts',
        from: '    fsyncSync(file);',
        to: '',
      },
    ],
    test: POWER_CUTS,
  },
  {
    name: 'a broken disk is taken for a full one',
    edits: [
      {
        file: 'service/src/store/sqlite/thread/result-codes.ts',
        from: 'return code === SHARED_MEMORY_SIZE || isResult(code, RESULT.full);',
        to: 'return code !== null && (isResult(code, RESULT.full) || (code & 0xff) === 10);',
      },
    ],
    test: IO_FAULTS,
  },
  {
    name: 'a commit that failed is acknowledged',
    edits: [
      {
        file: 'service/src/store/sqlite/thread/sqlite-connection.ts',
        from: `    let committing = false;
    try {`,
        to: `    let committing = false;
    let replies: readonly UnitReply[] = [];
    try {`,
      },
      {
        file: 'service/src/store/sqlite/thread/sqlite-connection.ts',
        from: '      const replies = run();',
        to: '      replies = run();',
      },
      {
        file: 'service/src/store/sqlite/thread/sqlite-connection.ts',
        from: '      const undone = this.#rollBack();',
        to: `      const undone = this.#rollBack();
      if (committing) return { outcome: 'committed', units: replies };`,
      },
    ],
    test: IO_FAULTS,
  },
  {
    name: 'a start does not compare rows with indexes',
    edits: [
      {
        file: 'service/src/store/sqlite/thread/writer.ts',
        from: 'PRAGMA integrity_check(1)',
        to: 'PRAGMA quick_check(1)',
      },
    ],
    test: {
      file: 'service/test/store/sqlite-file.test.ts',
      name: 'a file whose index lacks a row is refused',
    },
  },
  {
    name: 'a database of another program is given tables',
    edits: [
      {
        file: 'service/src/store/sqlite/migrations/migrate.ts',
        from: '  if (!isNew) requireOurs(file, database);',
        to: "  if (!isNew) database.exec('SELECT 1');",
      },
      {
        file: 'service/src/store/sqlite/migrations/migrate.ts',
        from: "  if (columns.has('name') && columns.has('position')) return;",
        to: '  if (columns.size >= 0) return;',
      },
    ],
    test: {
      file: 'service/test/store/sqlite-file.test.ts',
      name: 'a database of another program is refused, and gets no tables',
    },
  },
  {
    name: 'each start pays for a commit of its own',
    edits: [
      {
        file: 'service/src/store/sqlite/group-commit.ts',
        from: 'const MAX_BATCH = 256;',
        to: 'const MAX_BATCH = 1;',
      },
    ],
    test: {
      file: 'service/test/store/costs.test.ts',
      name: 'starts that come together share commits, each of which is one round trip',
    },
  },
  {
    name: 'an attempt is read again where nothing is new',
    edits: [
      {
        file: 'service/src/attempt/read-attempt.flow.ts',
        from: `  if (news.result === 'waiting') return found;`,
        to: `  if (news.result === 'waiting') {
    return (await services.store.findAttempt(found.attempt.attemptId)) ?? found;
  }`,
      },
    ],
    test: {
      file: 'service/test/store/costs.test.ts',
      name: 'one request alone costs exactly > a status of who waits: one look-up',
    },
  },
  {
    name: 'an attempt is read again after a write that has returned it',
    edits: [
      {
        file: 'service/src/attempt/read-attempt.flow.ts',
        from: '  return written ?? (await',
        to: '  return (await',
      },
    ],
    test: {
      file: 'service/test/store/costs.test.ts',
      name: 'one request alone costs exactly > a completion: a look-up, and user, attempt, launch address and audit row in a commit',
    },
  },
  {
    name: 'naive redemption: the last one wins',
    edits: [
      {
        file: STATEMENTS,
        from: 'insert into "api_tokens"',
        to: 'insert or replace into "api_tokens"',
      },
      {
        file: STATEMENTS,
        from: `"attempt_id" = ? and "token_digest" = ? and (("rejected_at"
is null and "failed_at" is null and "redeemed_at" is null and case`,
        to: `"attempt_id" = ? and "token_digest" = ? and (("rejected_at"
is null and "failed_at" is null and case`,
      },
    ],
    test: {
      file: 'service/test/store/conformance.test.ts',
      name: 'SQLite keeps the promises of the store port > races > S-13, S-15: of 64 redemptions at once one succeeds',
    },
  },
  {
    name: 'number of repeated events forgotten at the end of the minute',
    edits: [
      {
        file: 'service/src/audit/report.flow.ts',
        from: 'if (repeated.isDue(event.at)) await writeRepeated(services);',
        to: 'if (repeated.isDue(event.at)) repeated.take();',
      },
    ],
    test: {
      file: 'service/src/audit/report.flow.test.ts',
      name: 'a thousand repeats in a minute are two rows, and no number is lost',
    },
  },
  {
    name: 'values of an audit row hashed in another order',
    edits: [
      {
        file: 'service/src/audit/audit.ts',
        from: '    row.client,\n    row.personDigest,\n',
        to: '    row.personDigest,\n    row.client,\n',
      },
    ],
    test: {
      file: 'service/src/audit/audit.test.ts',
      name: 'hashes the same row as earlier versions did, so that their logs still verify',
    },
  },
  {
    name: 'columns of an audit row in another order than its values',
    edits: [
      {
        file: 'service/src/store/sql/audit-rows.ts',
        from: "  'client',\n  'person_digest',\n",
        to: "  'person_digest',\n  'client',\n",
      },
    ],
    test: {
      file: 'service/test/store/audit-columns.test.ts',
      name: 'the columns of a row with every value are hashed as its values are',
    },
  },
  {
    name: 'actor and reason of an audit row left out of its hash',
    edits: [
      {
        file: 'service/src/audit/audit.ts',
        from: 'return actor === null && reason === null ? [] : [actor, reason];',
        to: 'return actor === null || reason === null || actor !== null ? [] : [actor, reason];',
      },
    ],
    test: {
      file: 'service/test/store/audit.test.ts',
      name: 'S-82: verifying finds > a changed actor',
    },
  },
  {
    name: 'a command writes rows without its actor',
    edits: [
      {
        file: 'service/src/program/open-store.ts',
        from: 'return act === undefined ? store : store.by(act);',
        to: 'return act === undefined || act !== null ? store : store.by(act);',
      },
    ],
    test: {
      file: 'service/test/threats/actors.test.ts',
      name: 'threat 132: a person who runs a command is asked why, and a program is not',
    },
  },
  {
    name: 'an operator is who the environment says',
    edits: [
      {
        file: 'service/src/platform/process-account.ts',
        from: 'return { uid: uid < 0 ? null : uid, name: username };',
        to: "return { uid: uid < 0 ? null : uid, name: process.env['USER'] ?? username };",
      },
    ],
    test: {
      file: 'service/src/platform/process-account.test.ts',
      name: 'who runs a command > is the account of the process, whatever its environment says',
    },
  },
  {
    name: 'an operator chooses a number in a user namespace',
    edits: [
      {
        file: 'service/src/platform/process-account.ts',
        from: "if (process.platform === 'linux' && !ALL_NUMBERS.test(textOf(numbers))) {",
        to: "if (textOf(numbers) === 'x') {",
      },
    ],
    test: {
      file: 'service/src/platform/process-account.test.ts',
      name: 'who runs a command > has no number in a user namespace that has one number: its maker chooses them',
    },
  },
  {
    name: 'a login that a process can set for itself is believed',
    edits: [
      {
        file: 'service/src/platform/process-account.ts',
        from: 'HAS_LOGIN.test(textOf(group)) ? ',
        to: "textOf(group) !== 'x' ? ",
      },
    ],
    test: {
      file: 'service/src/platform/process-account.test.ts',
      name: 'who runs a command > is no login in the service, where a process can set its own',
    },
  },
  {
    name: 'bytes in an audit row are taken for no value',
    edits: [
      {
        file: 'service/src/store/sql/audit-rows.ts',
        from: '(value === null || value === undefined ? null : NO_VALUE)',
        to: "(value === 'x' ? NO_VALUE : null)",
      },
    ],
    test: {
      file: 'service/test/store/audit.test.ts',
      name: 'S-82: verifying finds > bytes in the place of no actor',
    },
  },
  {
    name: 'a national id with signs in it is a reason',
    edits: [
      {
        file: 'service/src/audit/act.ts',
        from: 'const NUMBER = /\\p{N}(?:[^\\p{N}\\p{Lu}\\p{Ll}\\p{Lt}\\p{Lo}]*\\p{N}){9}/u;',
        to: 'const NUMBER = /\\p{N}(?:[\\s-]?\\p{N}){9}/u;',
      },
    ],
    test: {
      file: 'service/src/audit/act.test.ts',
      name: 'a reason > is not a national id with slashes',
    },
  },
  {
    name: 'the first clients file takes the place of one that came meanwhile',
    edits: [
      {
        file: 'service/src/platform/files/edit-clients-file.ts',
        from: 'linkSync(draft, path);',
        to: 'renameSync(draft, path);',
      },
    ],
    test: {
      file: 'service/src/platform/files/edit-clients-file.test.ts',
      name: 'makes no first file over one that came meanwhile, or where there is no folder',
    },
  },
  {
    name: 'a clients file that somebody else changes meanwhile is overwritten',
    edits: [
      {
        file: 'service/src/platform/files/edit-clients-file.ts',
        from: 'else if (readClientsJson(path).text !== text) throw',
        to: "else if (readClientsJson(path).text === '') throw",
      },
    ],
    test: {
      file: 'service/src/platform/files/edit-clients-file.test.ts',
      name: 'is refused for a file that somebody else changes meanwhile',
    },
  },
  {
    name: 'a clients file is written that no service starts with',
    edits: [
      {
        file: 'service/src/platform/files/edit-clients-file.ts',
        from: 'readClients(edited, `${path} with this change`);',
        to: '[] as ReturnType<typeof readClients>;',
      },
    ],
    test: {
      file: 'service/src/platform/files/edit-clients-file.test.ts',
      name: 'is refused for what a service would not start with, before anything is told',
    },
  },
  {
    name: 'audit log verified without the store',
    edits: [
      {
        file: 'service/src/store/sql/stores/audit.ts',
        from: 'if (!verdict.ok) return verdict;',
        to: 'if (!verdict.ok || Date.now() > 0) return verdict;',
      },
    ],
    test: {
      file: 'service/test/threats/audit.test.ts',
      name: 'threat 63: the end of the audit log is cut off > five rows and the head moved back: found by the file, and by the store itself',
    },
  },
  {
    name: 'restore keeps the tokens of the backup',
    edits: [
      {
        file: 'service/src/store/sql/stores/operator.ts',
        from: 'step(sql.revokeTokens, everybody);',
        to: 'step(sql.revokeTokens, { ...everybody, user_id: -1 });',
      },
    ],
    test: {
      file: 'service/test/threats/restore.test.ts',
      name: 'threat 64: a backup brings back what was ended since > restored, it refuses all of that on the very first request',
    },
  },
  {
    name: 'a launch address that stays when the login is finished',
    edits: [
      {
        file: 'service/src/store/sql/stores/attempts.ts',
        from: 'step(sql.eraseLaunchUrl, { attempt_id: attemptId }),',
        to: 'step(sql.eraseLaunchUrl, { attempt_id: `${attemptId}-` }),',
      },
    ],
    test: {
      file: 'service/test/store/conformance.test.ts',
      name: 'SQLite keeps the promises of the store port > launches > S-43: with a finished login the address goes, and nothing else',
    },
  },
  {
    name: 'a launch address that stays when the attempt is rejected or fails',
    edits: [
      {
        file: 'service/src/store/sql/stores/attempts.ts',
        from: 'step(sql.eraseLaunchUrl, { attempt_id: attemptId });',
        to: 'step(sql.eraseLaunchUrl, { attempt_id: `${attemptId}-` });',
      },
    ],
    test: {
      file: 'service/test/store/conformance.test.ts',
      name: 'SQLite keeps the promises of the store port > launches > S-107: of an attempt that is rejected the address goes, and nothing else',
    },
  },
  {
    name: 'a launch address that goes although the end of the attempt is refused',
    edits: [
      {
        file: 'service/src/store/sql/stores/attempts.ts',
        from: 'steps: [...command.steps, erase]',
        to: 'steps: [erase, ...command.steps]',
      },
    ],
    test: {
      file: 'service/test/store/conformance.test.ts',
      name: 'SQLite keeps the promises of the store port > launches > S-107: an end that comes too late erases nothing',
    },
  },
  {
    name: 'a launch address that stays when a backup is restored',
    edits: [
      {
        file: 'service/src/store/sql/stores/operator.ts',
        from: '      step(sql.eraseLaunchUrls, {}),\n',
        to: '',
      },
    ],
    test: {
      file: 'service/test/store/conformance.test.ts',
      name: 'SQLite keeps the promises of the store port > recovery > S-77: no launch address stays, of what it ends and of what had expired',
    },
  },
  {
    name: 'a budget that a login that was refused gives back',
    edits: [
      {
        file: 'service/src/store/sql/stores/attempts.ts',
        from: 'steps: [...adoptions, user, attempt, ...cleanUp(parts, change), ...(kept?.steps ?? [])],',
        to: 'steps: [...adoptions, ...cleanUp(parts, change), user, attempt, ...(kept?.steps ?? [])],',
      },
    ],
    test: {
      file: 'service/test/store/conformance.test.ts',
      name: 'SQLite keeps the promises of the store port > pushes > S-52: a login that can not be finished gives nothing back',
    },
  },
  {
    name: 'a batch that is refused for one of its units',
    edits: [
      {
        file: 'service/src/store/sqlite/thread/sqlite-connection.ts',
        from: "const isOneAtFault = reply.outcome === 'rolled_back' && isOwnFault(reply.fault);",
        to: 'const isOneAtFault = false;',
      },
    ],
    test: {
      file: 'service/test/store/writer.test.ts',
      name: 'a batch > undoes a failing unit as a whole, and no other',
    },
  },
  {
    name: 'a second restore throws away what the first one replaced',
    edits: [
      {
        file: 'service/src/store/sqlite/backup.ts',
        from: '  if (!existsSync(replaced)) return;',
        to: '  rmSync(replaced, { force: true });\n  if (!existsSync(replaced)) return;',
      },
    ],
    test: {
      file: 'service/test/threats/restore.test.ts',
      name: 'threat 64: a backup brings back what was ended since > restored, it refuses all of that on the very first request',
    },
  },
  {
    name: 'a refused restore leaves a copy of the backup behind',
    edits: [
      {
        file: 'service/src/operate/restore/restore.ts',
        from: '[Symbol.dispose]: () => removeStaged(dataDir)',
        to: '[Symbol.dispose]: () => undefined',
      },
    ],
    test: {
      file: 'service/test/threats/restore.test.ts',
      name: 'threat 64: a backup brings back what was ended since > refused for its key, it leaves no copy of the people in the backup behind',
    },
  },
  {
    name: 'a migration of SQLite is committed in parts',
    edits: [
      {
        file: 'service/src/store/sqlite/migrations/migrate.ts',
        from: 'for (const statement of statements) database.exec(statement);',
        to: 'for (const statement of statements) database.exec(`COMMIT; BEGIN IMMEDIATE; ${statement}`);',
      },
    ],
    test: {
      file: 'service/test/store/migrations.test.ts',
      name: 'a migration that is killed before any statement leaves nothing behind, and is then completed',
    },
  },
];
