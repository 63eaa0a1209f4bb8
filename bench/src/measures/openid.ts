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
/**
 * Before the rounds: 2,000 requests or sign-ins of each kind, by number, because on a busy machine a time
 * is no warm-up. After 200 sign-ins V8 still compiles most of what they run, so whoever has more code
 * would be measured by its compiler. Not all at once: a simulated phone looks through all open pushes.
 */
const WARM_UP_ROUNDS = 10;
const WARM_UP: Counts = { one: 200, several: 200 };
const MEASURED: Counts = { one: 800, several: 200 };

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
  actOf('code sign-in', 'codeSignIn', 'browserLogin', 'openidLogin'),
  actOf('CIBA start', 'cibaStart', 'pushStart', 'openidCibaStart'),
  actOf('CIBA poll', 'cibaPoll', 'status', 'openidCibaPoll'),
];

function actOf(name: string, library: Kind, attempts: Kind, openid: Kind): OpenidAct {
  return { name, kinds: { library, libraryOnStore: library, attempts, openid } };
}

/** In the place of the person's provider, which is another machine's: counted apart. */
const SIMULATED = 'of the simulated provider';

const POLLS = Array.from({ length: 5 }, () => 'five polls');

/** What each request of a sign-in is for, in their order. */
const REQUESTS: Partial<Record<Kind, readonly string[]>> = {
  cibaLogin: ['start', ...POLLS, 'approval', 'token'],
  pushLogin: ['start', ...POLLS, SIMULATED, 'approval', 'token'],
  openidCibaLogin: ['start', ...POLLS, SIMULATED, 'approval', 'token'],
  codeSignIn: ['request', 'page', 'end of the interaction', 'code', 'token'],
  browserLogin: ['start', SIMULATED, 'decision', 'token'],
  openidLogin: [
    'request and page',
    'button',
    SIMULATED,
    'decision',
    'end of the interaction, and code',
    'token',
  ],
};

/** For each round, in microseconds of all threads. */
type Rounds = Readonly<Record<Side, readonly number[]>>;

/** Of one act. Nothing of the simulated provider is in `cpu`. */
export interface OpenidLine extends OpenidAct {
  readonly cpu: Rounds;
  readonly simulated: Rounds;
  /** Of a sign-in: what each of its requests costs, by name. Empty where a side has no such one. */
  readonly requests: Readonly<Record<string, Rounds>>;
}

const SIDES: readonly Side[] = ['library', 'libraryOnStore', 'attempts', 'openid'];

type Cpu = Record<Side, number[]>;

const noRounds = (): Cpu => ({ library: [], libraryOnStore: [], attempts: [], openid: [] });

export async function measureOpenid(say: (line: string) => void): Promise<OpenidLine[]> {
  const lines = ACTS.map((act) => ({
    ...act,
    cpu: noRounds(),
    simulated: noRounds(),
    requests: Object.fromEntries(namesIn(act).map((name) => [name, noRounds()])),
  }));
  for (let process = 1; process <= PROCESSES; process += 1) {
    say(`process ${process} of ${PROCESSES} of each server`);
    await inNewFolder(async (folder) => {
      const servers = await openServers(folder);
      try {
        for (const line of lines) {
          for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
            await measureEach(servers, line.kinds, WARM_UP);
          }
          for (let round = 0; round < ROUNDS; round += 1) {
            keep(line, await measureEach(servers, line.kinds, MEASURED));
          }
        }
      } finally {
        await Promise.all(Object.values(servers).map((server) => server.stop()));
      }
    });
  }
  return lines;
}

/** The names of the requests of a sign-in, in the order of the side that has most of them. */
function namesIn({ kinds }: OpenidAct): string[] {
  const all = [kinds.openid, kinds.library, kinds.attempts].flatMap((kind) => REQUESTS[kind] ?? []);
  return [...new Set(all)].filter((name) => name !== SIMULATED);
}

/** By the names of requests; '' for what is one request. */
type Spent = Readonly<Record<string, number>>;

function keep(
  { cpu, simulated, requests }: { cpu: Cpu; simulated: Cpu; requests: Record<string, Cpu> },
  spent: Record<Side, Spent>,
): void {
  for (const side of SIDES) {
    const { [SIMULATED]: apart = 0, ...own } = spent[side];
    simulated[side].push(apart);
    cpu[side].push(Object.values(own).reduce((sum, each) => sum + each, 0));
    for (const [name, each] of Object.entries(own)) requests[name]?.[side].push(each);
  }
}

type Servers = Readonly<Record<Side, BenchServer>>;

/** The sides in turn, so that other work on the machine weighs on all. */
async function measureEach(
  servers: Servers,
  kinds: OpenidAct['kinds'],
  counts: Counts,
): Promise<Record<Side, Spent>> {
  const spent: Record<Side, Spent> = { library: {}, libraryOnStore: {}, attempts: {}, openid: {} };
  for (const side of SIDES) {
    const [server, kind] = [servers[side], kinds[side]];
    spent[side] =
      requestsOf(kind) === 1
        ? { '': await measureOne(server, kind, counts.one) }
        : await measureSignIns(server, kind, counts.several);
  }
  return spent;
}

async function measureOne(server: BenchServer, kind: Kind, requests: number): Promise<number> {
  if (kind === 'status') await server.prepare('start', { pending: POLLED });
  if (kind === 'cibaPoll') await server.prepare('cibaStart', { pending: POLLED });
  if (kind === 'openidCibaPoll') await server.prepare('openidCibaStart', { pending: POLLED });
  const streams = [{ kind, connections: CONNECTIONS }];
  const { cpuMicroseconds } = await server.measurePieces(streams, requests);
  if (cpuMicroseconds === null) throw new Error('this system tells no processor time');
  return cpuMicroseconds;
}

/** All sign-ins send their first request, then all their second: so each has its own time. */
async function measureSignIns(server: BenchServer, kind: Kind, several: number): Promise<Spent> {
  const spent: Record<string, number> = {};
  for (const [step, name] of (REQUESTS[kind] ?? []).entries()) {
    const each = await server.measureStep({ kind, connections: CONNECTIONS }, step, several);
    spent[name] = (spent[name] ?? 0) + each;
  }
  return spent;
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
