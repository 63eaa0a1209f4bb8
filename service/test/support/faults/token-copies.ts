/** Ids like the service's own (RFC 9562, version 7): the time in milliseconds, then chance. */
const ID = `substr(time, 1, 8) || '-' || substr(time, 9, 4) || '-7' || substr(chance, 1, 3) ||
  '-8' || substr(chance, 4, 3) || '-' || substr(chance, 7, 12)`;

const DIALECTS = {
  sqlite: {
    numbers: (count: number) =>
      `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${count})`,
    chance: 'lower(hex(randomblob(32)))',
    hex: (moment: string) => `printf('%012x', ${moment})`,
  },
  postgres: {
    numbers: (count: number) => `WITH numbers AS (SELECT i FROM generate_series(1, ${count}) AS i)`,
    chance: 'md5(random()::text) || md5(random()::text)',
    hex: (moment: string) => `lpad(to_hex(${moment}), 12, '0')`,
  },
};

/** The statement that copies the only token, with other ids, digests and times, one for each ms. */
export function copiesOfToken(count: number, dialect: keyof typeof DIALECTS): string {
  const { numbers, chance, hex } = DIALECTS[dialect];
  return `${numbers(count)},
    copies AS MATERIALIZED (
      SELECT template.*, i, ${chance} AS chance, ${hex(`created_at - ${count} + i`)} AS time
      FROM numbers, (SELECT * FROM api_tokens LIMIT 1) AS template)
    INSERT INTO api_tokens (token_id, token_digest, attempt_id, user_id, client, device_name,
      created_at, expires_at)
    SELECT ${ID}, chance, ${ID}, user_id, client, device_name,
      created_at - ${count} + i, expires_at - ${count} + i FROM copies`;
}
