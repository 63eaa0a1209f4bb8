import type { Migration } from '../../sql/migration.ts';

/** Which timeline of which database the ids of users were last given on. */
const USER_ID_ORIGIN = `
CREATE TABLE user_id_origin (
  id bigint PRIMARY KEY CHECK (id = 1),
  origin text COLLATE "C" NOT NULL
)`;

/**
 * A promoted standby and a recovered server have another timeline, a restored dump is in another
 * database or on another server. Two new servers that were set up alike have equal timelines and
 * numbers of databases, and differ in their system identifier, which a role may not be allowed to
 * read.
 */
const CURRENT_ORIGIN = `
CREATE FUNCTION current_user_id_origin() RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
  place text := left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' ||
    (SELECT oid FROM pg_database WHERE datname = current_database());
BEGIN
  IF has_function_privilege('pg_control_system()', 'execute') THEN
    RETURN place || '/' || (SELECT system_identifier FROM pg_control_system());
  END IF;
  RETURN place;
END $$`;

/**
 * Ids that an earlier primary has given, and this server has not received, are given to nobody
 * else: so the first new users on another timeline get ids above as many as can have been given
 * since the last row of the log (values/ids.ts, migration 0015). A log without a row is of a store that was
 * never used. The lock of the row lets one session raise the sequence, and all others wait for it.
 * When that session is rolled back, the next one raises the sequence again.
 */
const FOLLOW_ORIGIN = `
CREATE FUNCTION users_ids_follow_origin() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
  here text := current_user_id_origin();
  elapsed bigint;
BEGIN
  IF EXISTS (SELECT 1 FROM user_id_origin WHERE id = 1 AND origin = here) THEN RETURN NULL; END IF;
  UPDATE user_id_origin SET origin = here WHERE id = 1 AND origin <> here;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - at INTO elapsed
  FROM audit_log ORDER BY sequence DESC LIMIT 1;
  IF elapsed IS NULL THEN RETURN NULL; END IF;
  IF elapsed < 0 THEN elapsed := 31536000000; END IF;
  PERFORM setval('users_id_seq', last_user_id() + 10000000 + elapsed * 10);
  RETURN NULL;
END $$`;

/** The trigger is part of the statement that adds users, so no program can pass it by. */
export const userIds: Migration = {
  name: '0010+user-ids',
  statements: [
    USER_ID_ORIGIN,
    CURRENT_ORIGIN,
    FOLLOW_ORIGIN,
    // A role that may only read and write rows has no right on the sequence itself.
    'ALTER FUNCTION last_user_id() SECURITY DEFINER',
    'INSERT INTO user_id_origin (id, origin) VALUES (1, current_user_id_origin())',
    `
CREATE TRIGGER users_ids_follow_origin BEFORE INSERT ON users
EXECUTE FUNCTION users_ids_follow_origin()`,
  ],
};
