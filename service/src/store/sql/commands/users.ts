import type { Ms } from '../../../values/time.ts';
import type { User, UserId } from '../../../account/user.ts';
import type { Command } from '../command.ts';
import type { CommandParts } from '../engine.ts';
import { personToRow } from '../rows/users.ts';
import { guard, step, type Step } from '../statement.ts';
import { entry } from '../audit-entry.ts';
import { adoptKeptOut, letIn } from './personal-data.ts';

/** Touches everything, so that no redemption for this user runs beside it. */
export function disableUser({ sql }: CommandParts, id: UserId, at: Ms): Command<boolean> {
  const user = guard(sql.selectUser, { id });
  return {
    ...switched(user, guard(sql.disableUser, { id, at })),
    audit: [entry({ at, action: 'user.disabled', userId: id })],
  };
}

export function enableUser(parts: CommandParts, known: User, at: Ms): Command<boolean> {
  const { sql } = parts;
  const { id } = known;
  const user = guard(sql.selectUser, { id });
  return {
    ...switched(user, guard(sql.enableUser, { id }), ...letIn(parts, known)),
    audit: [entry({ at, action: 'user.enabled', userId: id })],
  };
}

/** The first step tells whether the user exists, even if nothing is changed. */
function switched(user: Step, change: Step, ...after: Step[]): Omit<Command<boolean>, 'audit'> {
  return {
    steps: [user, change, ...after],
    touches: 'everything',
    decode: (results) => results.has(user),
  };
}

export interface ResealedUser {
  readonly user: User;
  /** The sealed text that is in the row now. */
  readonly sealedBefore: string;
}

export function resealUsers(
  parts: CommandParts,
  users: readonly ResealedUser[],
  at: Ms,
): Command<void> {
  const { sql, identities } = parts;
  return {
    steps: users.flatMap(({ user, sealedBefore }) => {
      const row = personToRow(user, identities);
      return [
        step(sql.resealUser, { ...row, id: user.id, sealed_before: sealedBefore }),
        // The marker of a person who has come back, which the log's check looks for beside the row.
        ...adoptKeptOut(parts, user),
      ];
    }),
    audit: [entry({ at, action: 'keys.rotated', count: users.length })],
    touches: 'everything',
    decode: () => undefined,
  };
}

/** @param knownKeys null in a store where nothing is sealed: all people stay, with their tokens */
export function forgetLost(
  { sql }: CommandParts,
  knownKeys: readonly string[] | null,
  count: number,
  at: Ms,
): Command<void> {
  const attempts = step(sql.deleteAttempts, {});
  const known = { known_keys: JSON.stringify(knownKeys) };
  return {
    steps:
      knownKeys === null
        ? [attempts]
        : [
            step(sql.deleteTokensOfLost, known),
            attempts,
            step(sql.deleteLost, known),
            step(sql.deleteLostOpenid, known),
          ],
    audit: [entry({ at, action: 'people.forgotten', count })],
    touches: 'everything',
    decode: () => undefined,
  };
}
