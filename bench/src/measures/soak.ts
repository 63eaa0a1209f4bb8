import { join } from 'node:path';
import { OWN_BOOK } from '../servers/count-rows.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { ServerProcess } from '../servers/server-process.ts';
import { BenchServer } from './bench-server.ts';

const MEGABYTE = 1024 ** 2;
/** Whole logins of 8 requests, 40 ms apart: about 3 logins a second for each caller. */
const STREAM = { kind: 'login', pauseMs: 40 } as const;

/** The sections of the page: of minutes, and of an hour. */
export type SoakName = 'soak' | 'soak-long';

export interface SoakPlan {
  readonly callers: number;
  /** How many samples of the process are taken. */
  readonly looks: number;
  readonly secondsBetween: number;
}

/** One sample of the process. Null if the system does not provide a value. */
export interface SoakSample {
  readonly seconds: number;
  readonly perSecond: number;
  /** Of single requests since the previous sample, in milliseconds. */
  readonly p99: number;
  readonly cpuMicroseconds: number | null;
  readonly residentMegabytes: number | null;
  readonly openFiles: number | null;
}

/** Logins at a steady rate, long enough to see whether anything grows. */
export function measureSoak({ callers, looks, secondsBetween }: SoakPlan): Promise<SoakSample[]> {
  return inNewFolder(async (folder) => {
    const dataDir = join(folder, 'soak');
    const program = await ServerProcess.service(dataDir);
    const server = new BenchServer(program, { dataDir, book: OWN_BOOK });
    const samples: SoakSample[] = [];
    try {
      for (let look = 1; look <= looks; look += 1) {
        const round = await server.measure([{ ...STREAM, connections: callers }], secondsBetween);
        const resident = program.residentBytes();
        samples.push({
          seconds: look * secondsBetween,
          perSecond: round.perSecond,
          p99: round.p99,
          cpuMicroseconds: round.cpuMicroseconds,
          residentMegabytes: resident === null ? null : resident / MEGABYTE,
          openFiles: program.openFiles(),
        });
      }
    } finally {
      await server.stop();
    }
    return samples;
  });
}
