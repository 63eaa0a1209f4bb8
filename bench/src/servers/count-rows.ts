import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Acknowledged } from '../load/job.ts';

export interface Book {
  /** Below the data folder. */
  readonly file: string;
  /** One row, with the members of `Acknowledged`. */
  readonly count: string;
}

export const OWN_BOOK: Book = {
  file: 'miftah.db',
  count: `SELECT
  (SELECT count(*) FROM attempts) AS attempts,
  (SELECT count(*) FROM attempts WHERE authenticated_at IS NOT NULL) AS completions,
  (SELECT count(*) FROM api_tokens) AS tokens`,
};

/** A token is an access token of OpenID; the sign-in issues no API token. */
export const OPENID_BOOK: Book = {
  file: 'miftah.db',
  count: `SELECT
  (SELECT count(*) FROM attempts) AS attempts,
  (SELECT count(*) FROM attempts WHERE authenticated_at IS NOT NULL) AS completions,
  (SELECT count(*) FROM openid_records WHERE model = 'AccessToken') AS tokens`,
};

/** A completion is an exchanged code. */
export const PEER_BOOK: Book = {
  file: 'oidc.db',
  count: `SELECT
  count(*) FILTER (WHERE model = 'BackchannelAuthenticationRequest') AS attempts,
  count(*) FILTER (WHERE model = 'AuthorizationCode' AND consumed_at IS NOT NULL) AS completions,
  count(*) FILTER (WHERE model = 'AccessToken') AS tokens FROM entities`,
};

/** The same where the package keeps them in the store of the service. */
export const PEER_STORE_BOOK: Book = {
  file: 'miftah.db',
  count: PEER_BOOK.count.replace('FROM entities', 'FROM openid_records'),
};

/** @throws Error unless the database contains exactly what was acknowledged */
export function requireRows(dataDir: string, book: Book, acknowledged: Acknowledged): void {
  const database = new DatabaseSync(join(dataDir, book.file), { readOnly: true });
  try {
    requireEqual(database.prepare(book.count).get(), acknowledged);
  } finally {
    database.close();
  }
}

/** @param row with the members of `Acknowledged`, in their order */
export function requireEqual(row: unknown, acknowledged: Acknowledged): void {
  const rows = JSON.stringify(row);
  const { attempts, completions, tokens } = acknowledged;
  const expected = JSON.stringify({ attempts, completions, tokens });
  if (rows !== expected) throw new Error(`acknowledged ${expected}, in the database ${rows}`);
}
