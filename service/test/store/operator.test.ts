import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseUserId } from '../../src/account/user.ts';
import type { Store } from '../../src/store/ports/store.port.ts';
import { openSqliteStore, type SqliteStoreOptions } from '../../src/store/index.ts';
import { authentication, sampleAttempt, START } from '../conformance/samples.ts';
import { ChildStore } from '../support/store/programs/child-store.ts';
import { makeDirectory, openErrorOf } from '../support/store/open-stores.ts';

const KEY = Buffer.alloc(32, 3);
const DISABLED = 40;

let directory: string;
const children: ChildStore[] = [];
const stores: Store[] = [];

beforeEach(() => {
  directory = makeDirectory();
});

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
  await Promise.all(stores.splice(0).map((store) => store.close()));
  rmSync(directory, { recursive: true });
});

async function open(options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  const own = { directory, auditKeys: () => [KEY], onPoisoned: () => undefined };
  const store = await openSqliteStore({ ...own, ...options });
  stores.push(store);
  return store;
}

const openAsOperator = () => open({ asOperator: true });

function execute(sql: string): void {
  const database = new DatabaseSync(join(directory, 'miftah.db'));
  database.exec(sql);
  database.close();
}

describe('an operator beside a running service', () => {
  test('stops people under load: nothing is lost, and the chain stays whole', async () => {
    const service = new ChildStore('signIn', directory, { args: [KEY.toString('hex')] });
    children.push(service);
    const ids: number[] = [];
    const first = await service.next();
    const operator = await openAsOperator();
    for (let id = first; ids.length < DISABLED; id = await service.next()) {
      const userId = parseUserId(Number(id));
      if (userId === null) throw new Error(`the service said ${id}`);
      ids.push(userId);
      const event = { at: START + 4, action: 'clients.reloaded', count: ids.length } as const;
      const [isThere] = await Promise.all([
        operator.disableUser(userId, START + 3),
        operator.recordEvent(event),
      ]);
      expect(isThere).toBe(true);
    }
    expect(await operator.verifyAudit()).toMatchObject({ ok: true });
    service.finish();
    const rest = await service.rest();
    const counts: unknown = JSON.parse(rest.at(-1) ?? '');
    const rows = await operator.readAudit({ after: 0, limit: 1_000_000 });
    const count = (action: string) => rows.filter((row) => row.action === action).length;
    const { authenticated, issued } = {
      authenticated: count('attempt.authenticated'),
      issued: count('token.issued'),
    };
    expect(counts).toMatchObject({ authenticated, issued });
    expect([count('user.disabled'), count('clients.reloaded')]).toEqual([DISABLED, DISABLED]);
    expect(rows).toHaveLength(authenticated + issued + 2 * DISABLED);
    await operator.close();
    const store = await open();
    expect(await store.verifyAudit()).toMatchObject({ ok: true, count: rows.length });
    for (const id of ids) {
      const userId = parseUserId(id);
      expect(userId === null ? null : await store.findUser(userId)).toMatchObject({
        disabledAt: START + 3,
      });
    }
  });

  test('leaves the log of writes to the service when it goes', async () => {
    const service = await open();
    const attempt = sampleAttempt();
    await service.insertAttempt(attempt);
    const operator = await openAsOperator();
    expect(await operator.findAttempt(attempt.attemptId)).toMatchObject({ attempt });
    await operator.recordEvent({ at: START, action: 'clients.reloaded' });
    await operator.close();
    expect(statSync(join(directory, 'miftah.db-wal')).size).toBeGreaterThan(0);
    expect(await service.readAudit({ after: 0, limit: 10 })).toHaveLength(1);
    await service.authenticateAttempt(authentication(attempt));
    expect(await service.verifyAudit()).toMatchObject({ ok: true, count: 2 });
  });

  test('does not keep a service from starting, nor another operator', async () => {
    await (await open()).close();
    const operators = [await openAsOperator(), await openAsOperator()];
    const service = await open({ lockWaitMs: 0 });
    const event = { at: START, action: 'clients.reloaded' } as const;
    await Promise.all([...operators, service].map((store) => store.recordEvent(event)));
    expect(await service.verifyAudit()).toMatchObject({ ok: true, count: 3 });
  });

  test('alone, leaves one file as a service does', async () => {
    await (await open()).close();
    const operator = await openAsOperator();
    await operator.recordEvent({ at: START, action: 'clients.reloaded' });
    await operator.close();
    expect(readdirSync(directory).toSorted()).toEqual(['miftah.db', 'miftah.lock']);
    expect(await (await open()).verifyAudit()).toMatchObject({ ok: true, count: 1 });
  });
});

describe('an operator is refused, and makes nothing', () => {
  test('where there is no store', async () => {
    const { code, message } = await openErrorOf(openAsOperator());
    expect(code).toBe('store.unavailable');
    expect(message).toContain('is not there');
    expect(readdirSync(directory)).toEqual([]);
  });

  test('where the schema is older', async () => {
    await (await open()).close();
    execute("DELETE FROM schema_migrations WHERE name LIKE '0003%'");
    const { code, message } = await openErrorOf(openAsOperator());
    expect(code).toBe('store.older_schema');
    expect(message).toContain('Start the service');
  });

  test('where there is no schema yet', async () => {
    writeFileSync(join(directory, 'miftah.db'), '');
    expect((await openErrorOf(openAsOperator())).code).toBe('store.older_schema');
  });

  test('where the schema is newer', async () => {
    await (await open()).close();
    execute("INSERT INTO schema_migrations VALUES ('9999-from-the-future', 9999)");
    expect((await openErrorOf(openAsOperator())).code).toBe('store.newer_schema');
  });

  test('where the file is no database', async () => {
    writeFileSync(join(directory, 'miftah.db'), 'This is a letter to the bank.\n'.repeat(400));
    expect((await openErrorOf(openAsOperator())).code).toBe('store.corrupt');
  });
});
