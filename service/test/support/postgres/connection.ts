import { Client } from 'pg';
import type { MigrationConnection } from '../../../src/store/postgres/migrations/migrate.ts';

/** A connection for migrations, without what the service's own connections do about faults. */
export async function withConnection<Result>(
  url: string,
  work: (connection: MigrationConnection) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work({
      query: ({ sql, values }) => client.query<Record<string, unknown>>(sql, [...values]),
    });
  } finally {
    await client.end();
  }
}
