import type { Migration } from './migration.ts';

/** What the store is for. One row, written once. */
const STORE_SEAL = `
CREATE TABLE store_seal (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  mode TEXT NOT NULL,
  provider_url TEXT,
  path_prefix TEXT,
  issuer TEXT,
  CONSTRAINT provider_of_mode CHECK (
    (mode = 'simulator') = (provider_url IS NULL)
    AND (provider_url IS NULL) = (path_prefix IS NULL)
    AND (provider_url IS NULL) = (issuer IS NULL)
  )
) STRICT`;

/** There was no other mode in the versions before, so that is what their rows are of. */
const SEAL_WHAT_IS_THERE = `
INSERT INTO store_seal (id, mode)
SELECT 1, 'simulator'
WHERE EXISTS (SELECT 1 FROM attempts) OR EXISTS (SELECT 1 FROM users)
  OR EXISTS (SELECT 1 FROM api_tokens)`;

/** What an operator needs: a store that knows what it is for, and people who can be stopped. */
export const oversight: Migration = {
  name: '0003-oversight',
  statements: [STORE_SEAL, SEAL_WHAT_IS_THERE, 'ALTER TABLE users ADD COLUMN disabled_at INTEGER'],
};
