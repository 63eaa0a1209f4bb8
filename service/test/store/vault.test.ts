import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import { parseNationalId, type Person } from '../../src/account/user.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import type { Vault } from '../../src/platform/keys/vault.port.ts';
import { openSqliteStore } from '../../src/store/index.ts';
import {
  authentication,
  digestNamed,
  opening,
  redirectTransaction,
  sampleAttempt,
  samplePerson,
  SEAL,
  redemption,
  START,
} from '../conformance/samples.ts';
import { makeDirectory, testVault } from '../support/store/open-stores.ts';

const LOGINS = 100;
const LAUNCH_URL = 'https://provider.example/authorize?request=launch-canary-';
const SEALED_COLUMNS = [
  'document_number',
  'national_id',
  'arabic_name',
  'english_name',
  'email',
  'nationality',
  'gender',
];

let directory: string;

beforeEach(() => {
  directory = makeDirectory();
});

afterEach(() => rmSync(directory, { recursive: true }));

function open(vault: Vault | null): Promise<Store> {
  return openSqliteStore({ directory, vault, onPoisoned: () => undefined });
}

/** To be called while no store has the file open. */
function rowsOf(sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(directory, 'miftah.db'));
  const rows = database.prepare(sql).all();
  database.close();
  return rows;
}

function personNumbered(number: number): Person {
  const nationalId = parseNationalId(`1${String(734_000_000 + number)}`);
  if (nationalId === null) throw new Error('not a national id');
  return samplePerson({
    documentNumber: `X${9_100_000 + number}`,
    nationalId,
    arabicName: `اسم الكناري ${number}`,
    englishName: `Canary Name ${number}`,
    email: `canary-${number}@mail.example`,
  });
}

async function logIn(store: Store, person: Person): Promise<AttemptRecord> {
  const attempt = sampleAttempt({ nationalId: person.nationalId });
  await store.insertAttempt(attempt);
  const login = await store.authenticateAttempt(authentication(attempt, { person }));
  if (login === null) throw new Error('the login was refused');
  return login.attempt;
}

async function userOf(store: Store, { attemptId }: AttemptRecord) {
  return (await store.findAttempt(attemptId))?.user ?? null;
}

describe('S-60: in the files', () => {
  const people = Array.from({ length: LOGINS }, (_, number) => personNumbered(number));
  const identities = people.flatMap((person) => [
    person.documentNumber,
    person.nationalId,
    person.arabicName,
    person.englishName,
    person.email ?? '',
  ]);
  const canaries = [...identities, 'launch-canary', OPENID.body];

  /**
   * Which of the listed values are in the file or the log, while the store is open and after it was
   * closed.
   */
  async function found(vault: Vault | null): Promise<Set<string>> {
    const store = await open(vault);
    await Promise.all(
      people.map((person, number) => startAndLogIn(store, person, `${LAUNCH_URL}${number}`)),
    );
    const { attemptId } = await logIn(store, personNumbered(LOGINS));
    const begins = { model: 'Grant', id: OPENID.grant, expiresAt: START * 2 };
    const change = { attemptId, at: START + 2, completionDigest: null, subject: 'sub', begins };
    await store.consumeAttempt(change);
    await store.putOpenid(OPENID);
    const during = canariesIn(canaries);
    await store.close();
    return new Set([...during, ...canariesIn(canaries)]);
  }

  test(`with a vault nobody can be read after ${LOGINS} logins`, async () => {
    expect(await found(testVault(1))).toEqual(new Set());
  });

  test('without one the same search finds everybody', async () => {
    expect(await found(null)).toEqual(new Set(canaries));
  });

  test('S-128: no secret by which a record is found, with a vault and without', async () => {
    const secrets = [OPENID.id, OPENID.grant];
    for (const vault of [testVault(1), null]) {
      await found(vault);
      expect(canariesIn(secrets)).toEqual([]);
      rmSync(join(directory, 'miftah.db'));
    }
  });
});

const OPENID = {
  model: 'AccessToken',
  id: 'openid-id-canary',
  body: '"openid-body-canary"',
  grant: 'openid-grant-canary',
  subject: null,
  client: null,
  attemptId: null,
  expiresAt: START * 2,
};

async function startAndLogIn(store: Store, person: Person, launchUrl: string): Promise<void> {
  const launched = sampleAttempt({ flow: 'oidc', nationalId: null });
  await store.insertAttempt(launched);
  await store.openTransaction(
    opening(launched, { transaction: redirectTransaction({ launchUrl }) }),
  );
  await store.replaceSession({
    attemptId: launched.attemptId,
    at: START + 1,
    session: { ...redirectTransaction(), launchUrl },
    browserDigest: digestNamed('a browser'),
  });
  const rejected = sampleAttempt({ nationalId: person.nationalId });
  await store.insertAttempt(rejected);
  const { attemptId } = rejected;
  await store.rejectAttempt({ attemptId, at: START + 1, reason: 'attempt.rejected' });
  const attempt = await logIn(store, person);
  await store.redeemAttempt(redemption(attempt, { seal: SEAL }));
}

function canariesIn(canaries: readonly string[]): string[] {
  const files = readdirSync(directory).filter((name) => name !== 'miftah.lock');
  const bytes = Buffer.concat(files.map((name) => readFileSync(join(directory, name))));
  return canaries.filter((canary) => bytes.indexOf(canary) >= 0);
}

function swap(column: string): void {
  const [first, second] = rowsOf(`SELECT ${column} AS sealed FROM users ORDER BY id`);
  rowsOf(`UPDATE users SET ${column} = '${String(second?.['sealed'])}' WHERE id = 1`);
  rowsOf(`UPDATE users SET ${column} = '${String(first?.['sealed'])}' WHERE id = 2`);
}

/** The same result for both rows. */
function refused(reason: string): readonly unknown[] {
  const said: unknown = expect.stringContaining(reason);
  return [said, said];
}

describe('S-62: who alters the file is noticed', () => {
  const [one, two] = [personNumbered(1), personNumbered(2)];
  let attempts: AttemptRecord[];

  beforeEach(async () => {
    const store = await open(testVault(1));
    attempts = [await logIn(store, one), await logIn(store, two)];
    await store.close();
  });

  async function readingAll(vault: Vault | null): Promise<unknown> {
    const store = await open(vault);
    const reads = await Promise.allSettled(attempts.map((attempt) => userOf(store, attempt)));
    await store.close();
    return reads.map((read) => (read.status === 'rejected' ? String(read.reason) : read.value));
  }

  test('as it was written, everything reads', async () => {
    expect(await readingAll(testVault(1))).toMatchObject([one, two]);
  });

  test('any column, swapped between two rows', async () => {
    for (const column of SEALED_COLUMNS) {
      swap(column);
      expect(await readingAll(testVault(1))).toEqual(refused(`users.${column} can't be opened`));
      swap(column);
    }
    expect(await readingAll(testVault(1))).toMatchObject([one, two]);
  });

  test('one column copied over another of the same row', async () => {
    rowsOf('UPDATE users SET english_name = arabic_name');
    expect(await readingAll(testVault(1))).toEqual(refused('users.english_name'));
  });

  test('text in the clear, put there by somebody without the key', async () => {
    rowsOf(`UPDATE users SET english_name = 'Somebody Else'`);
    expect(await readingAll(testVault(1))).toEqual(refused('never sealed'));
  });

  test('the requested identifier and the launch address of another attempt', async () => {
    const store = await open(testVault(1));
    const pair = [sampleAttempt(), sampleAttempt()];
    for (const attempt of pair) {
      await store.insertAttempt(attempt);
      await store.openTransaction(opening(attempt, { transaction: redirectTransaction() }));
    }
    await store.close();
    const ids = pair.map(({ attemptId }) => `'${attemptId}'`);
    const copy = (table: string, column: string) =>
      rowsOf(`UPDATE ${table} SET ${column} = (
        SELECT ${column} FROM ${table} WHERE attempt_id = ${ids[1]}
      ) WHERE attempt_id = ${ids[0]}`);
    copy('provider_transactions', 'launch_url');
    const [first = sampleAttempt()] = pair;
    const again = await open(testVault(1));
    const reading = again.findTransaction(first.attemptId);
    await expect(reading).rejects.toThrow('provider_transactions.launch_url');
    await again.close();
    copy('attempts', 'national_id');
    const last = await open(testVault(1));
    await expect(last.findAttempt(first.attemptId)).rejects.toThrow('attempts.national_id');
    await last.close();
  });

  test('a store without the vault, or with another key, says so', async () => {
    expect(await readingAll(null)).toEqual(refused('opened without its vault'));
    expect(await readingAll(testVault(2))).toEqual(refused('the vault has no key'));
  });
});

describe('S-63: after the key was changed', () => {
  const people = Array.from({ length: 5 }, (_, number) => personNumbered(number));
  const [person = personNumbered(0)] = people;
  let attempts: AttemptRecord[];
  let store: Store;

  beforeEach(async () => {
    const before = await open(testVault(1));
    attempts = [];
    for (const one of people) attempts.push(await logIn(before, one));
    await before.close();
    store = await open(testVault(2, 1));
  });

  afterEach(() => store.close());

  test('a login finds the person and seals all of them anew', async () => {
    const [first = sampleAttempt()] = attempts;
    const known = await userOf(store, first);
    const moved = { ...person, englishName: 'Canary Moved' };
    const later = await logIn(store, moved);
    expect(later.userId).toBe(known?.id);
    expect(await userOf(store, first)).toMatchObject(moved);
    expect((await store.rotateKeys(10, START)).sealed).toBe(people.length - 1);
  });

  test('S-64: a person is found before and after that', async () => {
    const [first = sampleAttempt()] = attempts;
    const known = await userOf(store, first);
    expect(await store.findPerson(person)).toEqual(known);
    await logIn(store, person);
    expect(await store.findPerson(person)).toMatchObject({ id: known?.id });
  });

  test('a login that comes too late leaves the person as they were', async () => {
    const [first = sampleAttempt()] = attempts;
    const before = await userOf(store, first);
    const late = authentication(first, { person: { ...person, englishName: 'Too Late' } });
    expect(await store.authenticateAttempt(late)).toBeNull();
    expect(await userOf(store, first)).toEqual(before);
    expect((await store.rotateKeys(10, START)).sealed).toBe(people.length);
  });

  test('first logins at once, of a person who is known, find that person', async () => {
    const racers = Array.from({ length: 20 }, () => logIn(store, person));
    const users = new Set((await Promise.all(racers)).map(({ userId }) => userId));
    expect(users).toEqual(new Set([attempts[0]?.userId]));
  });

  test('bounded steps seal everybody anew, and then the earlier key is not needed', async () => {
    const before = await Promise.all(attempts.map((attempt) => userOf(store, attempt)));
    const step = async () => (await store.rotateKeys(2, START)).sealed;
    expect([await step(), await step(), await step(), await step()]).toEqual([2, 2, 1, 0]);
    await store.close();
    expect(rowsOf('SELECT DISTINCT vault_key FROM users')).toHaveLength(1);
    store = await open(testVault(2));
    const after = await Promise.all(attempts.map((attempt) => userOf(store, attempt)));
    expect(after).toEqual(before);
    expect((await logIn(store, person)).userId).toBe(attempts[0]?.userId);
  });

  test('several earlier keys are worked off together', async () => {
    await store.rotateKeys(2, START);
    await store.close();
    store = await open(testVault(3, 2, 1));
    expect((await logIn(store, person)).userId).toBe(attempts[0]?.userId);
    expect((await store.rotateKeys(10, START)).sealed).toBe(people.length - 1);
    expect((await store.rotateKeys(10, START)).sealed).toBe(0);
  });

  test('a step beside logins takes nothing back', async () => {
    const moved = people.map((one, number) => ({ ...one, englishName: `Canary Moved ${number}` }));
    await Promise.all([
      store.rotateKeys(10, START),
      ...moved.map((one) => logIn(store, one)),
      store.rotateKeys(10, START),
    ]);
    expect((await store.rotateKeys(10, START)).sealed).toBe(0);
    const users = await Promise.all(attempts.map((attempt) => userOf(store, attempt)));
    expect(users).toMatchObject(moved);
  });

  test('what an attempt asked for before still reads', async () => {
    await store.close();
    const before = await open(testVault(1));
    const attempt = sampleAttempt();
    await before.insertAttempt(attempt);
    await before.close();
    store = await open(testVault(2, 1));
    expect((await store.findAttempt(attempt.attemptId))?.attempt).toEqual(attempt);
  });
});

describe('S-75: a key that is lost', () => {
  const [OLD, NEW] = [testVault(1), testVault(2)];

  async function loseKey() {
    const before = await open(OLD);
    const kept = await logIn(before, personNumbered(1));
    const token = await before.redeemAttempt(redemption(kept));
    await before.close();
    if (token === null) throw new Error('the redemption was refused');
    return { store: await open(NEW), digest: token.tokenDigest, lostId: token.userId };
  }

  test('is seen, and with the earlier one it is none', async () => {
    const { store } = await loseKey();
    expect(await store.countLost()).toBe(1);
    await store.close();
    const again = await open(OLD);
    expect(await again.countLost()).toBe(0);
    expect(await again.forgetLost(START)).toBe(0);
    await again.close();
  });

  test('takes the people and their tokens with it, and nobody else', async () => {
    const { store, digest, lostId } = await loseKey();
    const other = await logIn(store, personNumbered(2));
    const kept = await userOf(store, other);
    expect(await store.forgetLost(START)).toBe(1);
    expect(await store.countLost()).toBe(0);
    expect(await store.findToken(digest)).toBeNull();
    expect(await store.findUser(lostId)).toBeNull();
    expect(await store.findUser(kept?.id ?? lostId)).toEqual(kept);
    const [last] = (await store.readAudit({ after: 0, limit: 100 })).slice(-1);
    expect(last).toMatchObject({ action: 'people.forgotten', count: 1 });
    await store.close();
  });

  test('leaves room for the same people, as new ones', async () => {
    const { store, lostId } = await loseKey();
    await store.forgetLost(START);
    const again = await userOf(store, await logIn(store, personNumbered(1)));
    expect(again).not.toBeNull();
    expect(again?.id).not.toBe(lostId);
    await store.close();
  });
});

const keyed = (auditKey: Buffer, ...retired: Buffer[]) =>
  openSqliteStore({
    directory,
    auditKeys: () => [auditKey, ...retired],
    onPoisoned: () => undefined,
  });

test('S-75: a key that proved only the audit log is given up with every attempt, and nobody', async () => {
  const [LOST, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const before = await keyed(LOST);
  const kept = await logIn(before, personNumbered(1));
  const token = await before.redeemAttempt(redemption(kept));
  const pending = sampleAttempt();
  await before.insertAttempt(pending);
  expect(await before.forgetLost(START)).toBe(0);
  expect(await before.findAttempt(pending.attemptId)).not.toBeNull();
  await before.close();

  const store = await keyed(NEW);
  expect(await store.canVerifyAudit()).toBe(false);
  expect(await store.forgetLost(START)).toBe(0);
  expect(await store.canVerifyAudit()).toBe(true);
  expect(await store.findAttempt(pending.attemptId)).toBeNull();
  expect(await store.findToken(token?.tokenDigest ?? digestNamed('none'))).not.toBeNull();
  const [last] = (await store.readAudit({ after: 0, limit: 100 })).slice(-1);
  expect(last).toMatchObject({ action: 'people.forgotten', count: 0 });
  const { sequence } = last ?? expect.unreachable('there is a row');
  expect(await store.forgetLost(START)).toBe(0);
  expect((await store.auditHead()).count).toBe(sequence);
  await store.close();
});

async function knows(...keys: [Buffer, ...Buffer[]]): Promise<boolean> {
  const store = await keyed(...keys);
  const known = await store.canVerifyAudit();
  await store.close();
  return known;
}

describe('S-84: the key of the audit log', () => {
  const [FIRST, SECOND] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

  test('is known by the last row, and by nothing while there is none', async () => {
    expect(await knows(FIRST)).toBe(true);
    expect(await knows(SECOND)).toBe(true);
    const store = await keyed(FIRST);
    await store.recordEvent({ at: START, action: 'service.started' });
    await store.close();
    expect(await knows(FIRST)).toBe(true);
    expect(await knows(SECOND)).toBe(false);
    expect(await knows(SECOND, FIRST)).toBe(true);
  });
});

describe('S-103: who was erased and is kept out', () => {
  const person = personNumbered(1);
  const erasedUnder = async (vault: Vault) => {
    const store = await open(vault);
    const login = await logIn(store, person);
    const user = await userOf(store, login);
    if (user === null) throw new Error('there is no user');
    await store.eraseUser({ userId: user.id, at: START + 5, pushesOf: [], keepsOut: true });
    await store.close();
  };

  test('is kept out after a change of the key, and moves to the new one', async () => {
    await erasedUnder(testVault(1));
    const changed = await open(testVault(2, 1));
    expect(await changed.countKeptOutBefore()).toBe(1);
    const back = await userOf(changed, await logIn(changed, person));
    expect(back?.disabledAt).toBe(START + 5);
    expect(await changed.countKeptOutBefore()).toBe(0);
    expect(await changed.verifyAudit()).toMatchObject({ ok: true });
    await changed.close();
    const later = await open(testVault(2));
    expect((await userOf(later, await logIn(later, person)))?.disabledAt).toBe(START + 5);
    await later.close();
  });

  test('is only a digest in the store', async () => {
    await erasedUnder(testVault(1));
    const [row = {}] = rowsOf('SELECT * FROM erased_people');
    expect(Object.keys(row)).toEqual(['identity_digest', 'vault_key', 'erased_at']);
    const { issuer, documentType, documentNumber } = person;
    const vault = testVault(1);
    const digest = vault.digest(vault.currentKey, issuer, documentType, documentNumber);
    expect(row['identity_digest']).toBe(digest);
  });
});
