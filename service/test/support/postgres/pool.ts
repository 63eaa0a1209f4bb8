import { vi } from 'vitest';
import { createRandom, systemTimer } from '../../../src/platform/runtime.ts';
import type { Call, PostgresValue } from '../../../src/store/postgres/connections/connection.ts';
import { parseDatabaseUrl } from '../../../src/store/postgres/connection-url.ts';
import {
  PostgresPool,
  type PostgresPoolOptions,
} from '../../../src/store/postgres/connections/postgres-pool.ts';
import type { IdentityMemory, ServerIdentity } from '../../../src/store/postgres/server-check.ts';
import type { AtEnd } from '../at-end.ts';

/** Remembers the identity of the server as long as the test runs. */
export class KeptIdentity implements IdentityMemory {
  identity: ServerIdentity | null;

  constructor(identity: ServerIdentity | null = null) {
    this.identity = identity;
  }

  known(): ServerIdentity | null {
    return this.identity;
  }

  async remember(identity: ServerIdentity): Promise<void> {
    this.identity = identity;
  }
}

/** Of one operation; on a busy machine too it is answered long before. */
export const DEADLINE_MS = 100_000;
/** Longer, so that a test that lets the deadline pass ends no new connection. */
export const CONNECT_MS = 110_000;

/** A pool that ends with the test. It connects again quickly. */
export function openPool(
  url: string,
  atEnd: AtEnd,
  options: Partial<PostgresPoolOptions> = {},
): PostgresPool {
  const random = createRandom();
  const pool = new PostgresPool({
    address: parseDatabaseUrl(url),
    identity: new KeptIdentity(),
    timer: systemTimer,
    jitter: () => Number(random.digits(6)) / 1_000_000,
    size: 4,
    maxWaiting: 100,
    connectMs: CONNECT_MS,
    deadlineMs: DEADLINE_MS,
    backOffMs: 10,
    maxBackOffMs: 50,
    onChange: () => undefined,
    onWarning: () => undefined,
    ...options,
  });
  atEnd(() => pool.close());
  return pool;
}

export async function becomesReady(pool: PostgresPool): Promise<void> {
  await vi.waitFor(() => looksReady(pool), { timeout: 120_000, interval: 5 });
}

/**
 * After a full disk, and after a write that was late, the pool has to try one, as the service has it
 * do once a second.
 */
async function looksReady(pool: PostgresPool): Promise<void> {
  const before = pool.health();
  if (!before.ready && (before.isFull === true || before.isStalled === true)) await pool.look();
  isReady(pool);
}

function isReady(pool: PostgresPool): void {
  const health = pool.health();
  if (!health.ready) throw new Error(health.reason);
}

/** A statement that is not prepared under a name. */
export function sql(text: string, values: readonly PostgresValue[] = []): Call {
  return { name: null, sql: text, values };
}

/** What the promise was rejected with, as `code` of a refusal or name and SQLSTATE. */
export async function refusalOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    if ('sqlState' in error) return `${error.name} ${String(error.sqlState)}`;
    return 'code' in error ? String(error.code) : error.message;
  }
  return 'fulfilled';
}
