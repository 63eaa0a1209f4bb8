import process from 'node:process';
import { openClient } from './connection.ts';

const POSTMASTER = "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid";
const OTHERS = 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()';

/**
 * Stops all processes of a server on this machine by SIGSTOP: connections stay open, new ones are
 * accepted by the system, and nothing is answered.
 * @param url of a superuser
 * @returns what lets it go on
 */
export async function freeze(url: string): Promise<() => Promise<void>> {
  // Nobody reads what the server says to it when it goes on.
  const client = await openClient(url);
  const pidsOf = async (asked: string) => (await client.query<{ pid: number }>(asked)).rows;
  const [postmaster] = await pidsOf(POSTMASTER);
  if (postmaster === undefined) throw new Error('the server does not say which process it is');
  // From here on it starts no process.
  process.kill(postmaster.pid, 'SIGSTOP');
  const frozen = [postmaster, ...(await pidsOf(OTHERS))].map(({ pid }) => pid);
  for (const pid of frozen) signal(pid, 'SIGSTOP');
  await client.end();
  return async () => {
    for (const pid of frozen) signal(pid, 'SIGCONT');
  };
}

/** A process of the server may have ended meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
