/**
 * The service, as `npm start` runs it, on another store or with a look into its heap:
 * `node server.ts <sqlite | memory | singleCommits> <port> <data folder>`.
 */
import { loadConfig } from '../../service/src/config.ts';
import { openProgram, type Parts } from '../../service/src/program.ts';
import { MemoryStore, openSqliteStore } from '../../service/src/store/index.ts';

type StoreNeeds = Parameters<Parts['openStore']>[0];

const [, , variant, port, dataDir] = process.argv;
if (port === undefined || dataDir === undefined) throw new Error('variant, port and data folder');

// Limits would count the load, which comes from one address, and refuse it.
const { config } = loadConfig([], { PORT: port, DATA_DIR: dataDir, RATE_LIMITS: 'off' });
const program = await openProgram(config, partsOf(variant));
await program.listen();
if (process.send !== undefined) process.on('message', answerWithHeap);

function partsOf(name: string | undefined): Partial<Parts> {
  if (name === 'sqlite') return {};
  if (name === 'memory') return { openStore: async () => new MemoryStore() };
  if (name === 'singleCommits') return { openStore: openSingleCommits };
  throw new Error(`there is no variant ${name}`);
}

function openSingleCommits({ config: { dataDir: directory }, onPoisoned }: StoreNeeds) {
  const stop = (reason: string) => onPoisoned(new Error(reason));
  return openSqliteStore({ directory, onPoisoned: stop, maxBatch: 1 });
}

/** What is alive: twice, because the first collection may only have begun to let go. */
function answerWithHeap(): void {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
}
