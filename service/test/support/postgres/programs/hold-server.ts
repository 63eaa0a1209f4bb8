// Starts a PostgreSQL server, prints its URL, and waits to be killed (server.test.ts).

import { startPostgres } from '../server.ts';

const { url } = await startPostgres();
console.log(url);
