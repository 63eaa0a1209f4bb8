import type { AttemptId } from '../../../values/ids.ts';
import type { PersonKey, User } from '../../../account/user.ts';
import type { Erasure, EraseUser } from '../../ports/store.port.ts';
import type { Command } from '../command.ts';
import type { CommandParts } from '../engine.ts';
import { guard, step, type Step } from '../statement.ts';
import { entry } from '../audit-entry.ts';

/** The person is not kept out any more, under whichever key that was written. */
export function letIn({ sql, identities }: CommandParts, person: PersonKey): Step[] {
  return identities.digestsOf(person).map((digest) => step(sql.letIn, { identity_digest: digest }));
}

/** Whoever is kept out under an earlier key is kept out under the current one. */
export function adoptKeptOut({ sql, identities }: CommandParts, person: PersonKey): Step[] {
  const moved = {
    identity_digest: identities.digestOf(person),
    vault_key: identities.currentKey,
  };
  return identities.retiredDigestsOf(person).flatMap((retired_digest) => [
    step(sql.adoptKeptOut, { ...moved, retired_digest }),
    // Where the person was kept out under both keys already.
    step(sql.letIn, { identity_digest: retired_digest }),
  ]);
}

/**
 * @param user as they were read, whose document never changes
 * @param naming attempts that ask for the number of the person, and were of no user
 */
export function eraseUser(
  parts: CommandParts,
  { at, pushesOf, keepsOut }: EraseUser,
  user: User,
  naming: readonly AttemptId[],
): Command<Erasure> {
  const { sql } = parts;
  const { id } = user;
  const erasable = guard(sql.selectErasable, { id, decided: keepsOut === null ? 0 : 1 });
  // Another user may have signed in with one of them meanwhile.
  const named = naming.map((attempt_id) => step(sql.deleteOpenAttempt, { attempt_id }));
  const attempts = step(sql.deleteAttemptsOfUser, { id });
  const tokens = step(sql.deleteTokensOfUser, { id });
  return {
    steps: [
      erasable,
      ...(keepsOut === true ? [step(sql.keepOut, { id, at })] : []),
      ...(keepsOut === false ? letIn(parts, user) : []),
      attempts,
      ...named,
      tokens,
      ...pushesOf.map((person_digest) => step(sql.forgetPushes, { person_digest })),
      step(sql.deleteOpenidOf, { user_id: id, client: null }),
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
