import { join } from 'node:path';
import { OPENID_BOOK, OWN_BOOK, PEER_BOOK } from '../servers/count-rows.ts';
import { ServerProcess, type Floor, type Peer, type Variant } from '../servers/server-process.ts';
import { BenchServer } from './bench-server.ts';

export type ServerName = Floor | Variant | Exclude<Peer, 'oidcStore'> | 'asStarted' | 'openid';
export type Servers = Readonly<Record<ServerName, BenchServer>>;

/** Starts one process of each server, each with its own load generator. They end after the work. */
export async function withServers<Result>(
  folder: string,
  work: (servers: Servers) => Promise<Result>,
): Promise<Result> {
  const servers = await openServers(folder);
  try {
    return await work(servers);
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
  }
}

async function floor(name: Floor): Promise<BenchServer> {
  return new BenchServer(await ServerProcess.floor(name), null);
}

async function openServers(folder: string): Promise<Servers> {
  const sub = (name: ServerName) => join(folder, name);
  return {
    raw: await floor('raw'),
    rawLogged: await floor('rawLogged'),
    fastify: await floor('fastify'),
    fastifyLogged: await floor('fastifyLogged'),
    memory: new BenchServer(await ServerProcess.variant('memory', sub('memory')), 'readBack'),
    singleCommits: new BenchServer(
      await ServerProcess.variant('singleCommits', sub('singleCommits')),
      { dataDir: sub('singleCommits'), book: OWN_BOOK },
    ),
    sqlite: new BenchServer(await ServerProcess.service(sub('sqlite')), {
      dataDir: sub('sqlite'),
      book: OWN_BOOK,
    }),
    asStarted: new BenchServer(await ServerProcess.asStarted(sub('asStarted')), {
      dataDir: sub('asStarted'),
      book: OWN_BOOK,
    }),
    openid: new BenchServer(await ServerProcess.service(sub('openid'), { OPENID: 'on' }), {
      dataDir: sub('openid'),
      book: OPENID_BOOK,
    }),
    oidcMemory: new BenchServer(await ServerProcess.peer('oidcMemory', sub('oidcMemory')), null),
    oidcSqlite: new BenchServer(await ServerProcess.peer('oidcSqlite', sub('oidcSqlite')), {
      dataDir: sub('oidcSqlite'),
      book: PEER_BOOK,
    }),
  };
}
