import type { Migration } from '../../sql/migration.ts';

/**
 * Prefixes and issuers of the provider beside those of store_seal, for providers that have one for
 * each flow. An earlier version does not look at them, and opens the store with those of store_seal.
 */
export const providerNames: Migration = {
  name: '0014+provider-names',
  statements: [
    `
CREATE TABLE provider_names (
  kind text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  PRIMARY KEY (kind, value)
)`,
  ],
};
