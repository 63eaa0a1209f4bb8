import { rmSync } from 'node:fs';
import { pino } from 'pino';
import { serviceSettings, simulatorSettings } from '../../../../scripts/rehearsal.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { openProgram } from '../../../src/program/program.ts';
import { findFreePort } from '../programs/service-process.ts';
import { LiveClient, type Started } from './live-client.ts';
import { openListeningSimulator } from './opened-simulator.ts';
import { BANK_KEY, CLIENTS } from './rehearsal.ts';
import { keepService } from '../canaries/run-folder.ts';
import { folderInMemory } from '../in-memory.ts';
import { createFakeClock, type FakeClock } from '../service/fake-clock.ts';
import { BEHIND_PROXY } from '../attacks/crowd.ts';
import { signIn } from './live-login.ts';

/** The service in this process, on its own socket, with a clock that the test moves. */
export interface World extends AsyncDisposable {
  readonly client: LiveClient;
  readonly clock: FakeClock;
  readonly dataDir: string;
  start(): Promise<Started>;
  /** An attempt that the person has approved, and the values that its redemption needs. */
  approved(): Promise<Approved>;
}

export interface Approved {
  readonly started: Started;
  readonly proof: { readonly completion_code?: string };
}

type Settings = Readonly<Record<string, string>>;

export async function openSimulatorWorld(): Promise<World> {
  const settings = { PROVIDER: 'simulator', RATE_LIMITS: 'off', ...BEHIND_PROXY };
  const { client, ...opened } = await open(settings, await findFreePort());
  return {
    ...opened,
    client,
    start: () => client.startRedirect(),
    async approved() {
      const started = await client.startRedirect();
      await client.post('/callback', { state: started.attempt_id, auto_complete: true });
      return { started, proof: {} };
    },
  };
}

/** The same in live mode; the simulator has the real clock. */
export async function openLiveWorld(): Promise<World> {
  const plan = {
    servicePort: await findFreePort(),
    simulatorPort: await findFreePort(),
    folder: folderInMemory('world'),
    secretKey: '5e'.repeat(32),
    clients: Object.values(CLIENTS),
  };
  const simulator = await openListeningSimulator(simulatorSettings(plan));
  const settings = { ...serviceSettings(plan), ...BEHIND_PROXY };
  const { client, ...opened } = await open(settings, plan.servicePort);
  return {
    ...opened,
    client,
    start: () => client.startRedirect(),
    async approved() {
      // The provider's tokens contain times of its own clock, so ours has to agree.
      opened.clock.advance(Date.now() - opened.clock.now());
      const { started, code } = await signIn(client);
      return { started, proof: { completion_code: code } };
    },
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await simulator.stop();
      rmSync(plan.folder, { recursive: true });
    },
  };
}

async function open(settings: Settings, port: number) {
  const dataDir = folderInMemory('world');
  const clock = createFakeClock(Date.now());
  const logLines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void logLines.push(line) });
  const { config } = loadConfig([], { ...settings, PORT: String(port), DATA_DIR: dataDir });
  const program = await openProgram(config, { clock, logger });
  await program.listen();
  return {
    client: new LiveClient({ service: { origin: `http://127.0.0.1:${port}` } }, BANK_KEY),
    clock,
    dataDir,
    async [Symbol.asyncDispose]() {
      await program.close();
      keepService(logLines, dataDir, config.live !== null);
      rmSync(dataDir, { recursive: true });
    },
  };
}
