import { expiry, isOpen } from './guards.ts';
import { prepare, type Bind, type Dialect } from './prepare.ts';

interface StepValues {
  /** The time after the step, which is the earlier one. */
  readonly at: number;
  /** The time before it. */
  readonly until: number;
}

/** What had expired before a clock went back. Each query uses the index by expiry of its table. */
export function overdueQueries(dialect: Dialect) {
  const { db } = dialect;
  return {
    endOverdueAttempts: prepare(dialect, (bind: Bind<StepValues>) =>
      db
        .updateTable('attempts')
        .set({ provider_expires_at: bind('at') })
        .where((attempts) => isOpen(attempts, bind('at')))
        .where((attempts) => attempts(expiry(attempts), '<=', bind('until'))),
    ),
    endOverdueTokens: prepare(dialect, (bind: Bind<StepValues>) =>
      db
        .updateTable('api_tokens')
        .set({ expires_at: bind('at') })
        .where('expires_at', '>', bind('at'))
        .where('expires_at', '<=', bind('until')),
    ),
  };
}
