import { LoadProcess } from '../load/load-process.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { ServerProcess } from '../servers/server-process.ts';
import { CONNECTIONS } from './contenders.ts';

const PEOPLE = 100_000;
const FIRST = 1000;
const MEGABYTE = 1024 ** 2;

/** The memory of the service while 100,000 people wait, in megabytes. */
export interface Crowd {
  readonly people: number;
  /** The heap after a garbage collection, minus what the first thousand people needed. */
  readonly heapMegabytes: number;
  /** Null if the system does not provide it. */
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
