import type { Migration } from './migration.ts';

/**
 * When the provider's state was seen in a browser that had not launched the attempt. In the versions
 * before, such an attempt had lost its launch address only: it stays without.
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
