import type { DatabaseSync } from 'node:sqlite';

const INDEX = "FROM sqlite_schema WHERE name = 'attempts_by_expiry'";

/**
 * Changes the expiry of all attempts behind the back of their index, as damage could.
 * @param database not defensive, because the schema is written
 */
export function changeBehindIndex(database: DatabaseSync): void {
  database.exec('PRAGMA writable_schema = ON');
  const [row = {}] = database.prepare(`SELECT * ${INDEX}`).all();
  database.exec(`DELETE ${INDEX}; PRAGMA writable_schema = RESET`);
  database.exec('UPDATE attempts SET expires_at = expires_at + 1');
  database.exec('PRAGMA writable_schema = ON');
  const { type = '', name = '', tbl_name: table = '', rootpage = 0, sql = '' } = row;
  database
    .prepare('INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)')
    .run(type, name, table, rootpage, sql);
}
