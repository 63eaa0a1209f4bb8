import { LoadProcess } from '../load/load-process.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { ServerProcess } from '../servers/server-process.ts';
import { CONNECTIONS } from './contenders.ts';

const PEOPLE = 100_000;
const FIRST = 1000;
const MEGABYTE = 1024 ** 2;

/** What the service holds while 100,000 people wait; in megabytes. */
export interface Crowd {
  readonly people: number;
  /** Alive in the heap after a collection, beyond what a thousand people before have needed. */
  readonly heapMegabytes: number;
  /** Null where the system does not tell. */
  readonly residentMegabytes: number | null;
}

export function measureCrowd(): Promise<Crowd> {
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
    await start(PEOPLE);
    const after = await server.heapBytes();
    const resident = server.residentBytes();
    load.stop();
    await server.stop();
    return {
      people: PEOPLE,
      heapMegabytes: (after - before) / MEGABYTE,
      residentMegabytes: resident === null ? null : resident / MEGABYTE,
    };
  });
}
