import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Tables } from '../schema.ts';

type Attempts = ExpressionBuilder<Tables, 'attempts'>;

/**
 * The domain's states as SQL conditions (attempt/attempt.ts, `attemptAt`). The conformance suite
 * checks that both agree.
 */

/**
 * The earlier of the two expiries. The index `attempts_by_expiry` is on exactly this expression.
 */
export function expiry(attempts: Attempts): Expression<number> {
  return attempts
    .case()
    .when('provider_expires_at', '<', attempts.ref('expires_at'))
    .then(attempts.ref('provider_expires_at').$notNull())
    .else(attempts.ref('expires_at'))
    .end();
}

/** Neither ended nor expired: pending or authenticated. */
export function isOpen(attempts: Attempts, at: Expression<number>): Expression<SqlBool> {
  return attempts.and([
    attempts('rejected_at', 'is', null),
    attempts('failed_at', 'is', null),
    attempts('redeemed_at', 'is', null),
    attempts(expiry(attempts), '>', at),
  ]);
}

export function isPending(attempts: Attempts, at: Expression<number>): Expression<SqlBool> {
  return attempts.and([isOpen(attempts, at), attempts('authenticated_at', 'is', null)]);
}

/**
 * Pending, of that flow, and not spoiled (attempt/provider-transaction.ts): what `authenticate`
 * requires.
 * The statements for the user and for the attempt both have it, so that neither takes effect alone.
 */
export function isCompletable(
  attempts: Attempts,
  { flow, at }: { readonly flow: Expression<string>; readonly at: Expression<number> },
): Expression<SqlBool> {
  return attempts.and([
    attempts('flow', '=', flow),
    isPending(attempts, at),
    attempts.not(
      attempts.exists(
        attempts
          .selectFrom('provider_transactions')
          .select('provider_transactions.attempt_id')
          .whereRef('provider_transactions.attempt_id', '=', 'attempts.attempt_id')
          .where('provider_transactions.spoiled_at', 'is not', null),
      ),
    ),
  ]);
}

/**
 * Whether no operator has ended the sign-ins of the person with this digest since the attempt began
 * (account/user.ts, `isSignInEnded`).
 */
export function isBegunAfterEnd(
  attempts: Attempts,
  identityDigest: Expression<string>,
): Expression<SqlBool> {
  return attempts.not(
    attempts.exists(
      attempts
        .selectFrom('users')
        .select('users.id')
        .where('users.identity_digest', '=', identityDigest)
        .whereRef('users.sign_ins_ended_at', '>=', 'attempts.created_at'),
    ),
  );
}

export function isAuthenticated(attempts: Attempts, at: Expression<number>): Expression<SqlBool> {
  return attempts.and([isOpen(attempts, at), attempts('authenticated_at', 'is not', null)]);
}
