import type { Migration } from '../../sql/migration.ts';

/**
 * The function of migration 0010, with another gap where the clock is behind the log: a fixed one
 * would be the same in two databases that are restored from one backup. So it has a random part.
 */
const FOLLOW_ORIGIN = `
CREATE OR REPLACE FUNCTION users_ids_follow_origin() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
  here text := current_user_id_origin();
  elapsed bigint;
  place bigint := 0;
BEGIN
  IF EXISTS (SELECT 1 FROM user_id_origin WHERE id = 1 AND origin = here) THEN RETURN NULL; END IF;
  UPDATE user_id_origin SET origin = here WHERE id = 1 AND origin <> here;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - at INTO elapsed
  FROM audit_log ORDER BY sequence DESC LIMIT 1;
  IF elapsed IS NULL THEN RETURN NULL; END IF;
  IF elapsed < 0 THEN
    elapsed := 31536000000;
    place := floor(random() * 10000000000000)::bigint;
  END IF;
  PERFORM setval('users_id_seq', last_user_id() + 10000000 + elapsed * 10 + place);
  RETURN NULL;
END $$`;

export const unknownUserIds: Migration = {
  name: '0015+unknown-user-ids',
  statements: [FOLLOW_ORIGIN],
};
