import { copyFileSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Changes the database of a stopped service with plain SQL, as an attacker with write access could.
 */
export function alter(dataDir: string, sql: string): void {
  const database = new DatabaseSync(join(dataDir, 'miftah.db'));
  try {
    const triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger'";
    for (const { name } of database.prepare(triggers).all()) {
      database.exec(`DROP TRIGGER ${String(name)}`);
    }
    database.exec(sql);
  } finally {
    database.close();
  }
}

/** SQL that removes the last rows of the audit log and moves its head back. */
export function cutTail(rows: number): string {
  return `
    DELETE FROM audit_log WHERE sequence > (SELECT max(sequence) - ${rows} FROM audit_log);
    UPDATE audit_head SET sequence = (SELECT max(sequence) FROM audit_log),
      hash = (SELECT hash FROM audit_log ORDER BY sequence DESC LIMIT 1)`;
}

/** Copies a whole store to another folder and replaces the store there. */
export function copyStore(from: string, to: string): void {
  for (const file of globSync('miftah.db*', { cwd: to })) rmSync(join(to, file));
  for (const file of globSync('miftah.db*', { cwd: from })) {
    copyFileSync(join(from, file), join(to, file));
  }
}
