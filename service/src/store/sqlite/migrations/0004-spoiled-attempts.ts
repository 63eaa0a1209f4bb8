import type { Migration } from '../../sql/migration.ts';

/**
 * When the provider's state was seen in another browser than the launching one. Earlier versions
 * only erased the launch address of such an attempt; those attempts are left as they are.
 */
export const spoiledAttempts: Migration = {
  name: '0004-spoiled-attempts',
  statements: [
    `
ALTER TABLE provider_transactions ADD COLUMN spoiled_at INTEGER
  CONSTRAINT spoiled_without_address CHECK (
    spoiled_at IS NULL OR (kind = 'redirect' AND launch_url IS NULL)
  )`,
  ],
};
