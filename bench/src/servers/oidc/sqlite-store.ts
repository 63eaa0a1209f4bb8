import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { epochSeconds, type Adapter, type Payload } from './adapter.ts';

const SCHEMA = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE entities (
  model TEXT NOT NULL,
  id TEXT NOT NULL,
  payload TEXT NOT NULL,
  uid TEXT,
  user_code TEXT,
  grant_id TEXT,
  expires_at INTEGER,
  consumed_at INTEGER,
  PRIMARY KEY (model, id)
) WITHOUT ROWID;
CREATE INDEX entities_uid ON entities (model, uid) WHERE uid IS NOT NULL;
CREATE INDEX entities_user_code ON entities (model, user_code) WHERE user_code IS NOT NULL;
CREATE INDEX entities_grant ON entities (grant_id) WHERE grant_id IS NOT NULL;`;

const UPSERT = `INSERT INTO entities (model, id, payload, uid, user_code, grant_id, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (model, id) DO UPDATE SET payload = excluded.payload, uid = excluded.uid,
    user_code = excluded.user_code, grant_id = excluded.grant_id, expires_at = excluded.expires_at`;

interface Write {
  readonly statement: StatementSync;
  readonly values: readonly SQLInputValue[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * As fast as the interface permits: writes of one turn of the event loop share a transaction, and
 * each write resolves after its COMMIT was flushed.
 */
export class SqliteEntities {
  readonly #database: DatabaseSync;
  readonly #writes: Write[] = [];
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(SCHEMA);
  }

  read(sql: string, values: readonly SQLInputValue[]): unknown {
    return this.#prepared(sql).get(...values);
  }

  write(sql: string, values: readonly SQLInputValue[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#writes.length === 0) setImmediate(() => this.#commit());
      this.#writes.push({ statement: this.#prepared(sql), values, resolve, reject });
    });
  }

  #commit(): void {
    const writes = this.#writes.splice(0);
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      for (const { statement, values } of writes) statement.run(...values);
      this.#database.exec('COMMIT');
      for (const { resolve } of writes) resolve();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      for (const { reject } of writes) reject(error);
    }
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const prepared = this.#database.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

export class SqliteAdapter implements Adapter {
  readonly #model: string;
  readonly #entities: SqliteEntities;

  constructor(model: string, entities: SqliteEntities) {
    this.#model = model;
    this.#entities = entities;
  }

  upsert(id: string, payload: Payload, expiresIn?: number): Promise<void> {
    const { uid = null, userCode = null, grantId = null } = payload;
    const expiresAt = expiresIn === undefined ? null : epochSeconds() + expiresIn;
    const text = JSON.stringify(payload);
    const values = [this.#model, id, text, uid, userCode, grantId, expiresAt];
    return this.#entities.write(UPSERT, values);
  }

  find(id: string): Promise<Payload | undefined> {
    return this.#find('id', id);
  }

  findByUid(uid: string): Promise<Payload | undefined> {
    return this.#find('uid', uid);
  }

  findByUserCode(userCode: string): Promise<Payload | undefined> {
    return this.#find('user_code', userCode);
  }

  consume(id: string): Promise<void> {
    return this.#entities.write('UPDATE entities SET consumed_at = ? WHERE model = ? AND id = ?', [
      epochSeconds(),
      this.#model,
      id,
    ]);
  }

  destroy(id: string): Promise<void> {
    return this.#entities.write('DELETE FROM entities WHERE model = ? AND id = ?', [
      this.#model,
      id,
    ]);
  }

  revokeByGrantId(grantId: string): Promise<void> {
    return this.#entities.write('DELETE FROM entities WHERE grant_id = ?', [grantId]);
  }

  async #find(column: 'id' | 'uid' | 'user_code', value: string): Promise<Payload | undefined> {
    const row = this.#entities.read(
      `SELECT payload, consumed_at FROM entities WHERE model = ? AND ${column} = ?`,
      [this.#model, value],
    );
    if (!isRow(row)) return undefined;
    const payload: unknown = JSON.parse(row.payload);
    if (!isPayload(payload)) return undefined;
    if (row.consumed_at !== null) payload.consumed = row.consumed_at;
    return payload;
  }
}

export function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null;
}

function isRow(row: unknown): row is { payload: string; consumed_at: number | null } {
  return typeof row === 'object' && row !== null && 'payload' in row;
}
