import { LoadProcess } from '../load/load-process.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { ServerProcess } from '../servers/server-process.ts';

const CONNECTIONS = 64;
const KILOBYTE = 1024;
/** The first attempts cause the one-time costs: compiled code, statements, growing tables. */
const FIRST = 1000;
/** Together fewer than the 10,000 that the simulator keeps, so that all are kept. */
const ATTEMPTS = 8000;

/**
 * The memory per additional waiting person in the service, including the simulator, in kilobytes.
 */
export function measurePendingMemory(): Promise<number> {
  return inNewFolder(async (dataDir) => {
    const server = await ServerProcess.variant('sqlite', dataDir);
    const load = new LoadProcess();
    const start = (requests: number) =>
      load.run({
        port: server.port,
        streams: [{ kind: 'start', connections: CONNECTIONS }],
        seconds: Number.MAX_SAFE_INTEGER,
        requests,
      });
    await start(FIRST);
    const before = await server.heapBytes();
    await start(ATTEMPTS);
    const after = await server.heapBytes();
    load.stop();
    await server.stop();
    return (after - before) / ATTEMPTS / KILOBYTE;
  });
}
