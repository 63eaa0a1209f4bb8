import { Client } from 'pg';
import type { MigrationConnection } from '../../../src/store/postgres/migrations/migrate.ts';

/**
 * A connection of a test, without what the service's own connections do about faults. The caller ends
 * it.
 */
export async function openClient(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // Between two queries the end of a connection is told by this event alone, and would end the run.
  // The next query fails by itself.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Work on a connection of its own. */
export async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await openClient(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A connection for migrations. */
export function withConnection<Result>(
  url: string,
  work: (connection: MigrationConnection) => Promise<Result>,
): Promise<Result> {
  return withClient(url, (client) =>
    work({ query: ({ sql, values }) => client.query<Record<string, unknown>>(sql, [...values]) }),
  );
}
