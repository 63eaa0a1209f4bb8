import { LoadProcess } from '../load/load-process.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { ServerProcess } from '../servers/server-process.ts';

const CONNECTIONS = 64;
const KILOBYTE = 1024;
/** These pay for what is made once: compiled code, statements, tables that grow. */
const FIRST = 1000;
/** Together below the 10 000 that the simulator holds at a time, so that every one is held. */
const ATTEMPTS = 8000;

/** Kilobytes that one more waiting person keeps alive in the service, the simulator included. */
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
