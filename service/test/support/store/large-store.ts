import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { auditHash } from '../../../src/audit/audit.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { createRandom } from '../../../src/platform/runtime.ts';
import { auditKeysOf } from '../../../src/platform/keys/audit-keys.ts';
import { serverKeys } from '../../../src/program/store-needs.ts';
import { auditLinkFromRow } from '../../../src/store/sql/audit-rows.ts';
import { MOVED_TABLES } from '../../../src/store/sql/moved-tables.ts';

/** How many tokens a person of a large store has. */
const TOKENS_EACH = 10;

/** The keys of the audit log of a folder in simulator mode. */
export function auditKeysIn(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): readonly Uint8Array[] {
  const { config } = loadConfig([], { DATA_DIR: dataDir, ...settings });
  return auditKeysOf(serverKeys(config, createRandom()));
}

/**
 * Adds tokens to a store that nobody uses and that has one, each with its row of the audit log, and
 * people.
 */
export function addTokens(dataDir: string, count: number, secretKey: string): void {
  using database = new DatabaseSync(join(dataDir, 'miftah.db'));
  // With room for all of them in memory: otherwise a million take minutes.
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -600000; BEGIN');
  const token = database.prepare('SELECT * FROM api_tokens').get() ?? {};
  const user = database.prepare('SELECT * FROM users').get() ?? {};
  const addToken = insertInto(database, 'api_tokens');
  const addUser = insertInto(database, 'users');
  const [key = new Uint8Array()] = auditKeysIn(dataDir, { SECRET_KEY: secretKey });
  const log = appender(database, key);
  let owner = Number(user['id']);
  for (let made = 0; made < count; made += 1) {
    if (made % TOKENS_EACH === 0) {
      owner += 1;
      addUser({ ...user, id: owner, identity_digest: unique(), subject: null });
    }
    const [token_id, attempt_id] = [randomUUIDv7(), randomUUIDv7()];
    addToken({ ...token, token_id, attempt_id, token_digest: unique(), user_id: owner });
    log({ at: token['created_at'], action: 'token.issued', attempt_id, user_id: owner });
  }
  database.exec('COMMIT');
}

type Row = Readonly<Record<string, unknown>>;

const unique = () => randomBytes(32).toString('base64url');

function insertInto(database: DatabaseSync, name: string): (row: Row) => void {
  const columns = Object.keys(MOVED_TABLES.find((table) => table.name === name)?.columns ?? {});
  const places = columns.map(() => '?').join(', ');
  const insert = database.prepare(`INSERT INTO ${name} (${columns.join(', ')}) VALUES (${places})`);
  return (row) => void insert.run(...columns.map((column) => valueOf(row[column])));
}

/** Chains rows as the service does. */
function appender(database: DatabaseSync, key: Uint8Array): (row: Row) => void {
  const insert = insertInto(database, 'audit_log');
  const head = database.prepare('SELECT sequence, hash FROM audit_head').get() ?? {};
  let [sequence, previous] = [Number(head['sequence']), String(head['hash'])];
  return (row) => {
    sequence += 1;
    const whole: Row = { ...row, sequence, previous };
    const hash = auditHash(key, auditLinkFromRow(whole).values);
    insert({ ...whole, hash });
    previous = hash;
  };
}

function valueOf(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
