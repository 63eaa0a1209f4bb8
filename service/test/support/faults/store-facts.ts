import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { withClient } from '../postgres/connection.ts';

/** What a store says about its attempts, read past the service. Times are in milliseconds. */
export interface StoreFacts {
  /** What the engine's own check of its files says. Null: the engine has none that we run. */
  readonly integrity: string | null;
  readonly attempts: readonly AttemptFact[];
  readonly tokens: readonly TokenFact[];
  readonly users: readonly UserFact[];
  /** In the order of the log. */
  readonly audit: readonly AuditFact[];
  readonly pushes: readonly PushFact[];
}

export interface AttemptFact {
  readonly id: string;
  readonly expiresAt: number;
  readonly authenticatedAt: number | null;
  readonly rejectedAt: number | null;
  readonly failedAt: number | null;
  readonly redeemedAt: number | null;
  readonly userId: number | null;
}

export interface TokenFact {
  readonly attemptId: string;
  readonly userId: number | null;
  readonly revokedAt: number | null;
}

export interface UserFact {
  readonly id: number | null;
  readonly identityDigest: string;
  /** Issuer, type and number of the document. Different for each row when they are encrypted. */
  readonly document: string;
}

export interface AuditFact {
  readonly sequence: number | null;
  readonly attemptId: string | null;
  readonly action: string;
}

export interface PushFact {
  readonly personDigest: string | null;
  readonly admittedAt: number;
}

type Row = Readonly<Record<string, unknown>>;
type Select = (sql: string) => Promise<readonly Row[]>;

/** @param readOnly false for files of which no process has the index, as after a power cut */
export async function factsOfFile(dataDir: string, readOnly = true): Promise<StoreFacts> {
  const database = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly });
  const select = (sql: string) => database.prepare(sql).all();
  try {
    const integrity = select('PRAGMA integrity_check').map((row) => String(row['integrity_check']));
    return await factsOf((sql) => Promise.resolve(select(sql)), integrity.join(', '));
  } finally {
    database.close();
  }
}

export async function factsOfPostgres(url: string): Promise<StoreFacts> {
  return withClient(url, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return factsOf(async (sql) => (await client.query<Row>(sql)).rows, null);
  });
}

async function factsOf(select: Select, integrity: string | null): Promise<StoreFacts> {
  const attempts = await select(`SELECT attempt_id, expires_at, authenticated_at, rejected_at,
    failed_at, redeemed_at, user_id FROM attempts`);
  const tokens = await select('SELECT attempt_id, user_id, revoked_at FROM api_tokens');
  const users = await select(
    'SELECT id, identity_digest, issuer, document_type, document_number FROM users',
  );
  const audit = await select(
    'SELECT sequence, attempt_id, action FROM audit_log ORDER BY sequence',
  );
  const pushes = await select('SELECT person_digest, admitted_at FROM pushes');
  return {
    integrity,
    attempts: attempts.map(attemptOf),
    tokens: tokens.map(tokenOf),
    users: users.map(userOf),
    audit: audit.map(auditOf),
    pushes: pushes.map(pushOf),
  };
}

function attemptOf(row: Row): AttemptFact {
  return {
    id: String(row['attempt_id']),
    expiresAt: Number(row['expires_at']),
    authenticatedAt: numberOf(row['authenticated_at']),
    rejectedAt: numberOf(row['rejected_at']),
    failedAt: numberOf(row['failed_at']),
    redeemedAt: numberOf(row['redeemed_at']),
    userId: numberOf(row['user_id']),
  };
}

function tokenOf(row: Row): TokenFact {
  return {
    attemptId: String(row['attempt_id']),
    userId: numberOf(row['user_id']),
    revokedAt: numberOf(row['revoked_at']),
  };
}

function userOf(row: Row): UserFact {
  const document = ['issuer', 'document_type', 'document_number'].map((name) => row[name]);
  return {
    id: numberOf(row['id']),
    identityDigest: String(row['identity_digest']),
    document: JSON.stringify(document),
  };
}

function auditOf(row: Row): AuditFact {
  return {
    sequence: numberOf(row['sequence']),
    attemptId: textOf(row['attempt_id']),
    action: String(row['action']),
  };
}

function pushOf(row: Row): PushFact {
  return { personDigest: textOf(row['person_digest']), admittedAt: Number(row['admitted_at']) };
}

/** The driver of PostgreSQL gives 64-bit numbers as text. */
function numberOf(value: unknown): number | null {
  return value === null ? null : Number(value);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
