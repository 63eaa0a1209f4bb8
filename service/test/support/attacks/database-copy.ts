import { copyFileSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { folderInMemory } from '../in-memory.ts';

type Row = Readonly<Record<string, SQLOutputValue>>;

/**
 * The database of a service as a thief gets it: a copy of its files, opened without a key. The
 * service must get no requests while it is copied.
 */
export class DatabaseCopy implements Disposable {
  readonly folder: string;
  readonly #database: DatabaseSync;

  constructor({ dataDir }: { readonly dataDir: string }) {
    this.folder = folderInMemory('copy');
    for (const file of globSync('miftah.db{,-wal}', { cwd: dataDir })) {
      copyFileSync(join(dataDir, file), join(this.folder, file));
    }
    this.#database = new DatabaseSync(join(this.folder, 'miftah.db'));
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#database
      .prepare(sql)
      .all(...values)
      .map((row) => ({ ...row }));
  }

  tables(): string[] {
    const rows = this.all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    return rows.map(({ name }) => String(name));
  }

  /** The number of rows of every table, by the table's name. */
  counts(): Record<string, SQLOutputValue | undefined> {
    const names = this.tables();
    return Object.fromEntries(
      names.map((name) => [name, this.all(`SELECT count(*) AS rows FROM "${name}"`)[0]?.['rows']]),
    );
  }

  /** The whole content, one row per line. */
  dump(): string {
    const lines = this.tables().flatMap((name) =>
      this.all(`SELECT * FROM "${name}"`).map((row) => `${name} ${JSON.stringify(row)}`),
    );
    return lines.join('\n');
  }

  [Symbol.dispose](): void {
    this.#database.close();
    rmSync(this.folder, { recursive: true });
  }
}
