import type { UserId } from '../../../account/user.ts';
import type { Ms } from '../../../values/time.ts';
import type { EndSome } from '../../ports/store.port.ts';
import { entry } from '../audit-rows.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import type { OpenidRecordRow } from '../schema.ts';
import { one, RowReader, step, type Step } from '../statement.ts';

export const ALL_RECORDS = { above: '', up_to: '~' } as const;

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
  const values = { user_id: userId, client, ...ALL_RECORDS };
  return [step(sql.noteEnded, { ...values, at }), step(sql.deleteOpenidOf, values)];
}

/** The end of the part is looked for by a read, because the writes of others wait for a transaction. */
export async function endSome(
  { engine, sql }: SqlParts,
  { client, after, limit, at }: EndSome,
): Promise<string | null> {
  const scope = { user_id: null, client };
  const above = after ?? ALL_RECORDS.above;
  const row = await engine.read(one(sql.selectNthToEnd, { ...scope, above, offset: limit - 1 }));
  if (row === null) return null;
  const up_to = new RowReader<OpenidRecordRow>('openid_records', row).text('record_digest');
  const values = { ...scope, above, up_to };
  await engine.run({
    steps: [step(sql.noteEnded, { ...values, at }), step(sql.deleteOpenidOf, values)],
    // As of a page of tokens, by its missing detail: it is not whole until the row of the last page.
    audit: after === null ? [entry({ at, action: 'tokens.revoked_all', client, count: 0 })] : [],
    touches: 'everything',
    decode: () => undefined,
  });
  return up_to;
}
