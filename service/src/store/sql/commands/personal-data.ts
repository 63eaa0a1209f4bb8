import type { AttemptId } from '../../../domain/attempt-id.ts';
import type { Erasure, EraseUser } from '../../../ports/store/index.ts';
import type { Command } from '../command.ts';
import type { CommandParts } from '../engine.ts';
import { guard, step } from '../statement.ts';
import { entry } from './audit.ts';

/** @param naming attempts that ask for the person, whether they have signed in or not */
export function eraseUser(
  { sql }: CommandParts,
  { userId: id, at, pushesOf, keepsOut }: EraseUser,
  naming: readonly AttemptId[],
): Command<Erasure> {
  const erasable = guard(sql.selectErasable, { id, decided: keepsOut === null ? 0 : 1 });
  const named = naming.map((attempt_id) => step(sql.deleteAttempt, { attempt_id }));
  const attempts = step(sql.deleteAttemptsOfUser, { id });
  const tokens = step(sql.deleteTokensOfUser, { id });
  return {
    steps: [
      erasable,
      ...(keepsOut === true ? [step(sql.keepOut, { id, at })] : []),
      ...(keepsOut === false ? [step(sql.letIn, { id })] : []),
      attempts,
      ...named,
      tokens,
      ...pushesOf.map((person_digest) => step(sql.forgetPushes, { person_digest })),
      step(sql.deleteUser, { id }),
    ],
    audit: [entry({ at, action: 'user.erased' })],
    // No sign-in of the person may come in between.
    touches: 'everything',
    decode: (results) => {
      if (!results.has(erasable)) return 'undecided';
      const removed = [attempts, ...named].map((one) => results.changes(one));
      return {
        tokens: results.changes(tokens),
        attempts: removed.reduce((sum, count) => sum + count, 0),
      };
    },
  };
}

/**
 * Removes attempts that ask for somebody who was erased, unless a new user has signed in with them.
 * @returns how many
 */
export function eraseOpen(
  { sql }: CommandParts,
  { pushesOf }: EraseUser,
  naming: readonly AttemptId[],
): Command<number> {
  const open = naming.map((attempt_id) => step(sql.deleteOpenAttempt, { attempt_id }));
  const pushes = pushesOf.map((person_digest) => step(sql.forgetPushes, { person_digest }));
  return {
    steps: [...open, ...pushes],
    audit: [],
    touches: 'everything',
    decode: (results) => open.reduce((sum, one) => sum + results.changes(one), 0),
  };
}
