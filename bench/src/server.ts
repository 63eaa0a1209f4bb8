/**
 * The service, as `service/src/main.ts` runs it, on another store or with a look into its heap:
 * `node server.ts <memory | sqlite> <port> <data folder>`.
 */
import { openProgram, type Parts } from '../../service/src/program.ts';
import { startOnlyStore } from './servers/start-only-store.ts';

type Config = Parameters<typeof openProgram>[0];

const [, , variant, port, dataDir] = process.argv;
if (port === undefined || dataDir === undefined) throw new Error('variant, port and data folder');

const program = await openProgram(configOf(Number(port), dataDir), partsOf(variant));
await program.listen();
if (process.send !== undefined) process.on('message', answerWithHeap);

function partsOf(name: string | undefined): Partial<Parts> {
  if (name === 'sqlite') return {};
  if (name === 'memory') return { openStore: async () => startOnlyStore() };
  throw new Error(`there is no variant ${name}`);
}

/** The defaults of the service, apart from the limits, which would count the load and refuse it. */
function configOf(listenOn: number, folder: string): Config {
  const publicUrl = `http://127.0.0.1:${listenOn}`;
  return {
    host: '127.0.0.1',
    port: listenOn,
    publicUrl,
    allowedHosts: [],
    dataDir: folder,
    secretKey: null,
    provider: 'simulator',
    dashboardUrl: `${publicUrl}/dashboard`,
    rateLimits: false,
    trustedProxies: [],
    corsOrigins: [],
    simulatorToken: null,
    tokenLifetimeMs: 30 * 86_400_000,
    retentionMs: 86_400_000,
    logLevel: 'info',
  };
}

/** What is alive: twice, because the first collection may only have begun to let go. */
function answerWithHeap(): void {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
}
