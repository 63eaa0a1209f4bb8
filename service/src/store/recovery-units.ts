import type { AuditAction } from '../domain/audit.ts';
import type { Ms } from '../domain/time.ts';
import type { UserId } from '../domain/user.ts';
import { auditToRow } from './sql/rows/audit.ts';
import type { Identities } from './sql/identities.ts';
import type { Statements } from './sql/queries/index.ts';
import type { PlannedRecovery } from './shared/plan-recovery.ts';
import { scopeValues } from './sql/scope-values.ts';
import { step, type Step, type Unit } from './sql/statement.ts';
import { userToRow } from './sql/rows/users.ts';

const ALL_OF_THEM = { before: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER };

/** The results count attempts and then tokens; the audit row contains the number of tokens. */
export function recoveryUnit(sql: Statements, identities: Identities, plan: PlannedRecovery): Unit {
  const { at, lastUserId, toDisable, toAdd } = plan;
  const everybody = { ...scopeValues('all'), at };
  const action = 'store.restored' satisfies AuditAction;
  return [
    step(sql.failOpen, { at, erase: identities.areSealed ? 1 : 0 }),
    step(sql.revokeTokens, everybody),
    step(sql.appendAuditOfScope, { ...everybody, action, detail: null }),
    step(sql.eraseSeals, ALL_OF_THEM),
    ...toDisable.flatMap((id) => [step(sql.disableUser, { id, at }), disabled(sql, id, at)]),
    ...toAdd.flatMap((user) => [
      step(sql.insertUser, userToRow({ ...user, disabledAt: at }, identities)),
      disabled(sql, user.id, at),
    ]),
    step(sql.raiseLastUserId, { last: lastUserId }),
    step(sql.insertLastUserId, { last: lastUserId }),
  ];
}

function disabled(sql: Statements, userId: UserId, at: Ms): Step {
  return step(sql.appendAudit, auditToRow({ at, action: 'user.disabled', userId }));
}
