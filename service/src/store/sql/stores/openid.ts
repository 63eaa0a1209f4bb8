import type { FoundOpenid, OpenidRecord, OpenidRecords } from '../../ports/store.port.ts';
import * as openid from '../commands/openid.ts';
import type { CommandParts, SqlParts } from '../engine.ts';
import { handleDigest, openidFromRow, recordDigest } from '../rows/openid.ts';
import { userFromRow } from '../rows/users.ts';
import { all, one, type Read, type SqlRow } from '../statement.ts';

export function openidStore(parts: SqlParts): OpenidRecords {
  const { engine, sql, identities } = parts;
  return {
    putOpenid: (record) => engine.run(openid.putOpenid(parts, record)),
    keepOpenid: (record) => keep(parts, record),
    findOpenid: (name) =>
      engine.read(found(parts, one(sql.selectOpenid, { record_digest: recordDigest(name) }))),
    openidByHandle: (model, handle) => {
      const values = { handle_digest: handleDigest(model, handle) };
      return engine.read(found(parts, one(sql.selectOpenidByHandle, values)));
    },
    openidOfAttempt: (attemptId) =>
      engine.read(found(parts, one(sql.selectOpenidOfAttempt, { attempt_id: attemptId }))),
    linkOpenid: (link) => engine.run(openid.linkOpenid(parts, link)),
    consumeOpenid: (name, at) => engine.run(openid.consumeOpenid(parts, name, at)),
    removeOpenid: (name) => engine.run(openid.removeOpenid(parts, name)),
    removeOpenidGrant: (grant) => engine.run(openid.removeOpenidGrant(parts, grant)),
    resealOpenid: (limit) => reseal(parts, limit),
    consumeAttempt: (change) => engine.run(openid.consumeAttempt(parts, change)),
    findSubject: async (subject) => {
      const row = await engine.read(one(sql.selectSubject, { subject }));
      return row === null ? null : userFromRow(row, identities);
    },
  };
}

function* found(
  { identities }: CommandParts,
  lookUp: Read<SqlRow | null>,
): Read<FoundOpenid | null> {
  const row = yield* lookUp;
  return row === null ? null : openidFromRow(row, identities);
}

/** What is there is never changed by another call, so it may be read afterwards. */
async function keep(parts: SqlParts, record: OpenidRecord): Promise<string> {
  const { engine, sql } = parts;
  await engine.run(openid.keepOpenid(parts, record));
  const values = { record_digest: recordDigest(record) };
  const kept = await engine.read(found(parts, one(sql.selectOpenid, values)));
  return kept?.body ?? record.body;
}

async function reseal(parts: SqlParts, limit: number): Promise<number> {
  const { engine } = parts;
  const rows = await engine.read(sealedBefore(parts, limit));
  if (rows.length > 0) await engine.run(openid.resealOpenid(parts, rows));
  return rows.length;
}

function* sealedBefore({ sql, identities }: CommandParts, limit: number): Read<readonly SqlRow[]> {
  const rows: SqlRow[] = [];
  for (const vault_key of identities.retiredKeys) {
    const left = { vault_key, limit: limit - rows.length };
    rows.push(...(yield* all(sql.selectOpenidUnderKey, left)));
  }
  return rows;
}
