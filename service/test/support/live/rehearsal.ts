import { rmSync } from 'node:fs';
import {
  originsOf,
  serviceSettings,
  simulatorSettings,
  type ClientEntry,
  type Environment,
  type RehearsalPlan,
} from '../../../../scripts/rehearsal.ts';
import { folderOfRun } from '../canaries/run-folder.ts';
import {
  findFreePort,
  type ServiceProcess,
  SIMULATOR,
  spawnService,
  startService,
} from '../programs/service-process.ts';
import { openListeningSimulator, type ListeningSimulator } from './opened-simulator.ts';

export const SHOP_KEY = 'mfk_shop_0123456789abcdef';
export const BANK_KEY = 'mfk_bank_0123456789abcdef';

/** A confidential client: a back end with a key. */
const BANK: ClientEntry = {
  id: 'bank',
  name: { ar: 'مصرف المثال', en: 'Example Bank' },
  type: 'confidential',
  return_addresses: ['https://bank.example.test/return', 'https://bank.example.test/other?a=b'],
  keys: [BANK_KEY],
};
/** A public client: its key is not secret, and it may start without one. */
const SHOP: ClientEntry = {
  id: 'shop',
  name: { ar: 'متجر المثال', en: 'Example Shop' },
  type: 'public',
  return_addresses: ['https://shop.example.test/return'],
  keys: [SHOP_KEY],
  keyless: ['oidc', 'mfa'],
};
export const CLIENTS = { bank: BANK, shop: SHOP } as const;

/** How long a push of a rehearsal can be answered: with one minute, a busy machine may be too slow. */
export const PUSH_MS = 240_000;
const SERVICES = `Login:${PUSH_MS / 1000}`;
const LONG_PUSH = { PROVIDER_PUSH_LIFETIME: `${PUSH_MS / 1000}s` };

export interface RehearsalOptions {
  readonly clients?: readonly ClientEntry[];
  /** Settings that replace those of the wiring. */
  readonly settings?: Environment;
  readonly simulatorSettings?: Environment;
}

/** What a test asks of it, wherever its service runs. */
export interface Rehearsed extends AsyncDisposable {
  readonly plan: RehearsalPlan;
  readonly service: { readonly origin: string; readonly port: number; readonly dataDir: string };
  readonly origins: ReturnType<typeof originsOf>;
}

export interface Rehearsal<Simulator = ListeningSimulator> extends Rehearsed {
  readonly service: ServiceProcess;
  readonly simulator: Simulator;
  /** Those of the service. */
  readonly settings: Environment;
  /** Starts the service again on the same data, optionally with other settings. */
  spawnAgain(settings?: Environment): Promise<ServiceProcess>;
}

/** A plan for a service and a simulator, and the settings of both. */
export async function planRehearsal(options: RehearsalOptions) {
  const plan: RehearsalPlan = {
    servicePort: await findFreePort(),
    simulatorPort: await findFreePort(),
    folder: folderOfRun('live'),
    secretKey: '5e'.repeat(32),
    clients: options.clients ?? Object.values(CLIENTS),
  };
  return {
    plan,
    origins: originsOf(plan),
    settings: { RATE_LIMITS: 'on', ...serviceSettings(plan), ...LONG_PUSH, ...options.settings },
    ofSimulator: { ...simulatorSettings(plan), SERVICES, ...options.simulatorSettings },
    end: () => rmSync(plan.folder, { recursive: true, force: true }),
  };
}

/** The service in live mode in its own process, and the simulator in that of the test. */
export const rehearse = (options: RehearsalOptions = {}): Promise<Rehearsal> =>
  rehearseWith(options, openListeningSimulator);

/**
 * Each in its own process: for a test of what the simulator prints, or one that moves the time of its
 * own process.
 */
export const rehearseApart = (options: RehearsalOptions = {}): Promise<Rehearsal<ServiceProcess>> =>
  rehearseWith(options, ({ PORT, ...settings }) =>
    startService({ main: SIMULATOR, port: Number(PORT), settings }),
  );

async function rehearseWith<Simulator extends { stop(): Promise<unknown> }>(
  options: RehearsalOptions,
  open: (settings: Environment) => Promise<Simulator>,
): Promise<Rehearsal<Simulator>> {
  const { settings, ofSimulator, end, ...planned } = await planRehearsal(options);
  const { servicePort: port } = planned.plan;
  const simulator = await open(ofSimulator);
  const service = await startService({ port, settings });
  const all = [service];
  return {
    ...planned,
    service,
    simulator,
    settings,
    async spawnAgain(changes = {}) {
      const { dataDir } = service;
      const next = await spawnService({ port, settings: { ...settings, ...changes }, dataDir });
      all.push(next);
      return next;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((one) => one.kill()));
      await simulator.stop();
      end();
    },
  };
}
