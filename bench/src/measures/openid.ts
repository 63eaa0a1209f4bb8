import { join } from 'node:path';
import { ratioOfRounds } from '../figures/figures.ts';
import { POLLED } from '../load/attempts.ts';
import { requestsOf, type Kind } from '../load/job.ts';
import { OPENID_BOOK, OWN_BOOK, PEER_BOOK, PEER_STORE_BOOK } from '../servers/count-rows.ts';
import { inNewFolder } from '../servers/data-folder.ts';
import { ServerProcess } from '../servers/server-process.ts';
import { BenchServer } from './bench-server.ts';
import { CONNECTIONS } from './contenders.ts';

const PROCESSES = 3;
const ROUNDS = 3;
/** Of a request, and of a sign-in. By number: on a busy machine a time is no warm-up. */
const WARM_UP: Counts = { one: 2000, several: 200 };
const MEASURED: Counts = { one: 800, several: 100 };

interface Counts {
  readonly one: number;
  readonly several: number;
}

/**
 * The library with a file of its own, and on the store of the service; the service with and without
 * its OpenID Provider.
 */
export type Side = 'library' | 'libraryOnStore' | 'attempts' | 'openid';

export interface OpenidAct {
  readonly name: string;
  /** What is asked of each side. */
  readonly kinds: Readonly<Record<Side, Kind>>;
}

/** The starts come last: the simulated phone looks for its push among all that nobody answers. */
const ACTS: readonly OpenidAct[] = [
  actOf('CIBA sign-in', 'cibaLogin', 'pushLogin', 'openidCibaLogin'),
  actOf('code sign-in', 'codeLogin', 'browserLogin', 'openidLogin'),
  actOf('CIBA start', 'cibaStart', 'pushStart', 'openidCibaStart'),
  actOf('CIBA poll', 'cibaPoll', 'status', 'openidCibaPoll'),
];

function actOf(name: string, library: Kind, attempts: Kind, openid: Kind): OpenidAct {
  return { name, kinds: { library, libraryOnStore: library, attempts, openid } };
}

/** Of one act, in microseconds of all threads, for each round. */
export interface OpenidLine extends OpenidAct {
  readonly cpu: Readonly<Record<Side, readonly number[]>>;
}

const SIDES: readonly Side[] = ['library', 'libraryOnStore', 'attempts', 'openid'];

type Cpu = Record<Side, number[]>;

export async function measureOpenid(say: (line: string) => void): Promise<OpenidLine[]> {
  const lines = ACTS.map((act) => {
    const cpu: Cpu = { library: [], libraryOnStore: [], attempts: [], openid: [] };
    return { ...act, cpu };
  });
  for (let process = 1; process <= PROCESSES; process += 1) {
    say(`process ${process} of ${PROCESSES} of each server`);
    await inNewFolder(async (folder) => {
      const servers = await openServers(folder);
      try {
        for (const { kinds, cpu } of lines) {
          await measureEach(servers, kinds, WARM_UP);
          for (let round = 0; round < ROUNDS; round += 1) {
            const spent = await measureEach(servers, kinds, MEASURED);
            for (const side of SIDES) cpu[side].push(spent[side]);
          }
        }
      } finally {
        await Promise.all(Object.values(servers).map((server) => server.stop()));
      }
    });
  }
  return lines;
}

type Servers = Readonly<Record<Side, BenchServer>>;

/** The sides in turn, so that other work on the machine weighs on all. */
async function measureEach(
  servers: Servers,
  kinds: OpenidAct['kinds'],
  counts: Counts,
): Promise<Record<Side, number>> {
  const spent = { library: 0, libraryOnStore: 0, attempts: 0, openid: 0 };
  for (const side of SIDES) spent[side] = await measureOnce(servers[side], kinds[side], counts);
  return spent;
}

async function measureOnce(
  server: BenchServer,
  kind: Kind,
  { one, several }: Counts,
): Promise<number> {
  if (kind === 'status') await server.prepare('start', { pending: POLLED });
  if (kind === 'cibaPoll') await server.prepare('cibaStart', { pending: POLLED });
  if (kind === 'openidCibaPoll') await server.prepare('openidCibaStart', { pending: POLLED });
  const requests = requestsOf(kind);
  const streams = [{ kind, connections: CONNECTIONS }];
  const pieces = requests === 1 ? one : several;
  const { cpuMicroseconds } = await server.measurePieces(streams, pieces);
  if (cpuMicroseconds === null) throw new Error('this system tells no processor time');
  return cpuMicroseconds * requests;
}

/** The ratio of the service's processor time to that of others together. */
export function ratioTo({ cpu }: Pick<OpenidLine, 'cpu'>, others: readonly Side[]): number {
  const sums = cpu.openid.map((_, round) =>
    others.reduce((sum, side) => sum + (cpu[side][round] ?? Number.NaN), 0),
  );
  return ratioOfRounds(cpu.openid, sums);
}

async function openServers(folder: string): Promise<Servers> {
  const sub = (side: Side) => join(folder, side);
  const openid = await ServerProcess.service(sub('openid'), { OPENID: 'on' });
  return {
    library: new BenchServer(await ServerProcess.peer('oidcSqlite', sub('library')), {
      dataDir: sub('library'),
      book: PEER_BOOK,
    }),
    libraryOnStore: new BenchServer(await ServerProcess.peer('oidcStore', sub('libraryOnStore')), {
      dataDir: sub('libraryOnStore'),
      book: PEER_STORE_BOOK,
    }),
    attempts: new BenchServer(await ServerProcess.service(sub('attempts')), {
      dataDir: sub('attempts'),
      book: OWN_BOOK,
    }),
    openid: new BenchServer(openid, { dataDir: sub('openid'), book: OPENID_BOOK }),
  };
}
