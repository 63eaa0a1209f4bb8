import type { AuditAction, AuditRow } from '../../audit/audit.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { StoreBinding } from '../../values/store-binding.ts';
import type { Outbox, Store } from '../ports/store.port.ts';
import type { SqlEngine, SqlParts } from './engine.ts';
import { type Fence, fenceIn } from './fence.ts';
import { Identities } from './identities.ts';
import { isAddition, type Migration } from './migration.ts';
import { one } from './statement.ts';
import { auditFromRow } from './audit-rows.ts';
import { createSqlStore } from './sql-store.ts';
import { bindingIn } from './stores/operator.ts';

/** The migrations that a store lacks, and those that this version does not know. */
export interface SchemaState {
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
  /** Whether no migration was ever applied. */
  readonly isEmpty: boolean;
  /** Of a move, which keeps services away. */
  readonly fence: Fence | null;
}

/** What can be read of a store without changing it. */
export interface StoreInspection extends Pick<
  Store,
  | 'canVerifyAudit'
  | 'verifyAudit'
  | 'auditHead'
  | 'containsHead'
  | 'knowsHead'
  | 'isBehind'
  | 'readAudit'
  | 'close'
> {
  schema(): Promise<SchemaState>;
  binding(): Promise<StoreBinding | null>;
  readonly outbox: Pick<Outbox, 'waiting' | 'givenUpCounts' | 'oldestTried' | 'switchedOff'>;
  /** The latest row of this action; it may have to read all of the log. */
  lastAudit(action: AuditAction): Promise<AuditRow | null>;
}

type Content = Omit<StoreInspection, 'schema'>;

/** What is in the tables. They must have the schema of this version. */
export function inspectContent(
  reading: Pick<SqlEngine, 'read' | 'close'>,
  { sql, auditKeys }: Pick<SqlParts, 'sql' | 'auditKeys'>,
): Content {
  const engine: SqlEngine = {
    run: async () => {
      throw new Refusal('storage.unavailable');
    },
    read: (read) => reading.read(read),
    health: () => ({ ready: false, reason: 'it is open for reading' }),
    recover: async () => undefined,
    close: () => reading.close(),
  };
  const store = createSqlStore({ engine, sql, identities: new Identities(null), auditKeys });
  return {
    async binding() {
      return engine.read(bindingIn({ sql }));
    },
    async lastAudit(action) {
      const row = await engine.read(one(sql.selectLastAudit, { action }));
      return row === null ? null : auditFromRow(row);
    },
    canVerifyAudit: () => store.canVerifyAudit(),
    verifyAudit: () => store.verifyAudit(),
    auditHead: () => store.auditHead(),
    containsHead: (head) => store.containsHead(head),
    knowsHead: (head) => store.knowsHead(head),
    readAudit: (query) => store.readAudit(query),
    isBehind: () => store.isBehind(),
    outbox: store.outbox,
    close: () => store.close(),
  };
}

export function schemaState(
  applied: ReadonlySet<string>,
  migrations: readonly Migration[],
): SchemaState {
  const known = new Set(migrations.map(({ name }) => name));
  return {
    isEmpty: applied.size === 0,
    fence: fenceIn(applied),
    missing: [...known].filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.has(name) && !isAddition(name)),
  };
}
