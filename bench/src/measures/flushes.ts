import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LoadProcess } from '../load/load-process.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { ServerProcess } from '../servers/server-process.ts';

const STARTS = 200;

/**
 * The number of disk flushes per commit. strace records the service's system calls while one caller
 * starts attempts one after another, so that each is a commit. Null if strace is missing or not
 * permitted.
 */
export function measureFlushes(): Promise<number | null> {
  if (spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status !== 0) {
    return Promise.resolve(null);
  }
  return inNewFolder(async (folder) => {
    const calls = join(folder, 'calls');
    const server = await ServerProcess.traced(join(folder, 'data'), calls);
    const load = new LoadProcess();
    const before = flushesIn(calls);
    await load.run({
      port: server.port,
      streams: [{ kind: 'start', connections: 1 }],
      seconds: Number.MAX_SAFE_INTEGER,
      requests: STARTS,
    });
    const after = flushesIn(calls);
    load.stop();
    await server.stop();
    return (after - before) / STARTS;
  });
}

function flushesIn(calls: string): number {
  return readFileSync(calls, 'utf8').match(/ (?:fsync|fdatasync)\(/g)?.length ?? 0;
}
