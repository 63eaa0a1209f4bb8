import type { Migration } from '../../sql/migration.ts';

/**
 * Another value after each command that had to be alone (decision 0014). It is random, because a
 * database can be restored to an earlier state more than once. The row is written to the write-ahead
 * log, so a crash does not empty the table and a promoted standby has it.
 */
const STORE_EPOCH = `
CREATE TABLE store_epoch (
  id bigint PRIMARY KEY CHECK (id = 1),
  epoch uuid NOT NULL
)`;

export const storeEpoch: Migration = {
  name: '0012+store-epoch',
  statements: [STORE_EPOCH, 'INSERT INTO store_epoch (id, epoch) VALUES (1, gen_random_uuid())'],
};
