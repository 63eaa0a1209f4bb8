import { LoadProcess } from '../load/load-process.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { ServerProcess } from '../servers/server-process.ts';
import { CONNECTIONS } from './contenders.ts';

/** The first attempts cause the one-time costs: compiled code, statements, growing tables. */
const FIRST = 1000;

export interface HeapGrowth {
  /** The heap in bytes after a garbage collection, minus what the first thousand people needed. */
  readonly heapBytes: number;
  /** The whole process in bytes; null if the system does not provide it. */
  readonly residentBytes: number | null;
}

/** What so many people who start and then wait add to the memory of the service. */
export function measureHeapGrowth(people: number): Promise<HeapGrowth> {
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
    await start(people);
    const heapBytes = (await server.heapBytes()) - before;
    const residentBytes = server.residentBytes();
    load.stop();
    await server.stop();
    return { heapBytes, residentBytes };
  });
}
