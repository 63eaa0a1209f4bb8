import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Acknowledged } from '../load/job.ts';

const COUNT = `SELECT
  (SELECT count(*) FROM attempts) AS attempts,
  (SELECT count(*) FROM attempts WHERE authenticated_at IS NOT NULL) AS completions,
  (SELECT count(*) FROM api_tokens) AS tokens`;

/** @throws Error when what was acknowledged is not exactly what is in the database */
export function requireRows(dataDir: string, acknowledged: Acknowledged): void {
  const database = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly: true });
  try {
    const rows = JSON.stringify(database.prepare(COUNT).get());
    const { attempts, completions, tokens } = acknowledged;
    const expected = JSON.stringify({ attempts, completions, tokens });
    if (rows !== expected) throw new Error(`acknowledged ${expected}, in the database ${rows}`);
  } finally {
    database.close();
  }
}
