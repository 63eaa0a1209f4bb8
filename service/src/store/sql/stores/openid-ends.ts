import type { UserId } from '../../../account/user.ts';
import type { Ms } from '../../../values/time.ts';
import type { CommandParts } from '../engine.ts';
import { step, type Step } from '../statement.ts';

/** The steps that end what a person or a client has, and make due what clients are told of it. */
export function endOpenid(
  { sql }: Pick<CommandParts, 'sql'>,
  { userId, client }: { readonly userId: UserId | null; readonly client: string | null },
  at: Ms,
): readonly Step[] {
  if (userId !== null && client === null) {
    const values = { user_id: userId };
    return [step(sql.noteEndedOfUser, { ...values, at }), step(sql.deleteOpenidOfUser, values)];
  }
  const values = { user_id: userId, client };
  return [step(sql.noteEnded, { ...values, at }), step(sql.deleteOpenidOf, values)];
}
