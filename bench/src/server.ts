/**
 * The service as `npm start` runs it, but with another store or with heap figures: `node server.ts
 * <sqlite | memory | singleCommits> <port> <data folder> [WAITERS_MAX]`.
 */
import { loadConfig } from '../../service/src/config/config.ts';
import { openProgram, type Parts } from '../../service/src/program/program.ts';
import { answerWithHeap } from './servers/heap-answer.ts';
import { createMemoryStore, openSqliteStore } from '../../service/src/store/index.ts';

type StoreNeeds = Parameters<Parts['openStore']>[0];

const [, , variant, port, dataDir, waiters = '4000'] = process.argv;
if (port === undefined || dataDir === undefined) throw new Error('variant, port and data folder');

// With rate limits most of the load would be refused, because it comes from one address. Time lines
// are not what live mode has.
const { config } = loadConfig([], {
  PORT: port,
  DATA_DIR: dataDir,
  RATE_LIMITS: 'off',
  TIME_LINES: 'off',
  WAITERS_MAX: waiters,
});
const program = await openProgram(config, partsOf(variant));
await program.listen();
if (process.send !== undefined) process.on('message', answerWithHeap);

function partsOf(name: string | undefined): Partial<Parts> {
  if (name === 'sqlite') return {};
  if (name === 'memory') return { openStore: async () => createMemoryStore() };
  if (name === 'singleCommits') return { openStore: openSingleCommits };
  throw new Error(`there is no variant ${name}`);
}

function openSingleCommits({ config: { dataDir: directory }, onPoisoned }: StoreNeeds) {
  const stop = (reason: string) => onPoisoned(new Error(reason));
  return openSqliteStore({ directory, onPoisoned: stop, maxBatch: 1 });
}
