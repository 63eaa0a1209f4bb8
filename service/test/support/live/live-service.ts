import { createHash } from 'node:crypto';
import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { serviceSettings, type ClientEntry } from '../../../../scripts/rehearsal.ts';
import { loadConfig } from '../../../src/config/config.ts';
import type { ByFlow } from '../../../src/attempt/flow.ts';
import { systemClock, type SystemClock } from '../../../src/platform/runtime.ts';
import type { Random } from '../../../src/platform/runtime.port.ts';
import type { LookUp } from '../../../src/outbound/outbound.port.ts';
import { openProgram, type Parts } from '../../../src/program/program.ts';
import { findFreePort, startService, type ServiceProcess } from '../programs/service-process.ts';
import { LiveClient } from './live-client.ts';
import { BANK_KEY, CLIENTS, SHOP_KEY } from './rehearsal.ts';
import { AUDIENCE, AUTHORIZE_ORIGIN, ISSUER } from '../provider/provider-under-test.ts';
import { share, temporaryFolder, type AtEnd } from '../at-end.ts';
import { keepService } from '../canaries/run-folder.ts';
import { createFakeClock, type FakeClock } from '../service/fake-clock.ts';
import { ProviderDouble } from './provider-double.ts';

const CLINIC_KEY = 'mfk_clinic_0123456789abcdef';
/** Another back end, which gets its completion codes in the fragment. */
const CLINIC: ClientEntry = {
  id: 'clinic',
  name: { ar: 'عيادة المثال', en: 'Example Clinic' },
  type: 'confidential',
  return_addresses: ['https://clinic.example.test/return'],
  code_in: 'fragment',
  keys: [CLINIC_KEY],
};

type Settings = Readonly<Record<string, string>>;

export interface LiveOptions {
  readonly settings?: Settings;
  readonly pinned?: { readonly nonce: string; readonly transId: string };
  /** What stands before the provider's paths of each flow; the settings have to say the same. */
  readonly prefixes?: ByFlow<string>;
}

/** The service in live mode, the provider double, and the clients. */
export interface Scene {
  readonly provider: ProviderDouble;
  readonly origin: string;
  /** Confidential clients, each with its key. */
  readonly bank: LiveClient;
  readonly clinic: LiveClient;
  /** A public client with its key, and without a key. */
  readonly shop: LiveClient;
  readonly anybody: LiveClient;
  /** The service's whole output so far. */
  log(): string;
}

export interface OpenedScene extends Scene {
  readonly clock: FakeClock;
  readonly dataDir: string;
  /** Those of the service, for a command beside it. */
  readonly settings: Readonly<Record<string, string>>;
  /** The service's HTTP server. */
  readonly server: Server;
  /** As SIGHUP does. */
  reload(): Promise<void>;
  /** Stops the service before the end of the test. */
  close(): Promise<void>;
}

export interface OpenedOptions extends LiveOptions {
  /** An earlier service, stopped: this one has its provider and its data. */
  readonly after?: Pick<OpenedScene, 'provider' | 'dataDir'>;
  readonly startsAt?: number;
  /** A clock that follows a machine's clock, instead of the one that the test moves. */
  readonly machine?: SystemClock;
  /** For calls to hosts of clients. */
  readonly lookUp?: LookUp;
}

function partsOf({ machine, lookUp }: OpenedOptions, clock: FakeClock): Partial<Parts> {
  const time = machine === undefined ? { clock } : { clock: machine, timekeeper: machine };
  return lookUp === undefined ? time : { ...time, lookUp };
}

/** The real program in its own process. */
export async function openBuilt(
  options: LiveOptions = {},
  atEnd: AtEnd = onTestFinished,
): Promise<Scene & { readonly service: ServiceProcess; readonly settings: Settings }> {
  const provider = await new ProviderDouble({ ...options, atEnd }).open();
  const port = await findFreePort();
  const settings = settingsFor(provider, port, options, atEnd);
  const service = await startService({ port, settings });
  atEnd(async () => void (await service.kill()));
  const log = () => service.stdout() + service.stderr();
  return { ...sceneOf(provider, service.origin), service, settings, log };
}

/** The same program in this process, on its own socket, with a clock that the test moves. */
export function shareOpened(options: OpenedOptions = {}): () => OpenedScene {
  return share((atEnd) => openLive(options, atEnd));
}

/** With the machine's clock, for tests in which nothing waits long. */
export function shareUnmoved(options: LiveOptions = {}): () => Scene {
  return shareOpened({ ...options, machine: systemClock });
}

/** The same for one test. */
export async function openLive(
  options: OpenedOptions = {},
  atEnd: AtEnd = onTestFinished,
): Promise<OpenedScene> {
  const clock = createFakeClock(options.startsAt);
  const time = options.machine ?? clock;
  const now = () => time.now();
  const provider =
    options.after?.provider ?? (await new ProviderDouble({ ...options, now, atEnd }).open());
  const port = await findFreePort();
  const dataDir = options.after?.dataDir ?? temporaryFolder('threats', atEnd);
  const settings = settingsFor(provider, port, options, atEnd);
  const given = { DATA_DIR: dataDir, LOG_LEVEL: 'trace', ...settings };
  const { config } = loadConfig([], given);
  const logLines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void logLines.push(line) });
  const program = await openProgram(config, { ...partsOf(options, clock), logger });
  const close = once(async () => {
    await program.close();
    keepService(logLines, dataDir);
  });
  atEnd(close);
  await program.listen();
  const { app, reload } = program;
  const { server } = app;
  const scene = sceneOf(provider, `http://127.0.0.1:${port}`);
  const log = () => logLines.join('');
  return { ...scene, clock, dataDir, settings: given, server, log, reload, close };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => (done ??= work());
}

/** A live service in this process, which is asked without a socket. */
export interface AskedService {
  readonly app: FastifyInstance;
  readonly clock: FakeClock;
}

const ASKED_PORT = 3000;
/** What requests to it have as Host. */
export const ASKED_HOST = `127.0.0.1:${ASKED_PORT}`;

/**
 * The clock stands still and chance is the same each time, so that two of them answer the same
 * requests alike.
 */
export async function openAsked(atEnd: AtEnd): Promise<AskedService> {
  const clock = createFakeClock();
  const pinned = {
    nonce: '00000000-0000-4000-8000-000000000001',
    transId: '00000000-0000-4000-8000-000000000002',
  };
  const provider = await new ProviderDouble({ pinned, now: () => clock.now(), atEnd }).open();
  const dataDir = temporaryFolder('threats', atEnd);
  const settings = settingsFor(provider, ASKED_PORT, {}, atEnd);
  const { config } = loadConfig([], { DATA_DIR: dataDir, ...settings });
  const logger = pino({ level: 'silent' });
  const program = await openProgram(config, { clock, logger, random: sameChance() });
  atEnd(async () => program.close());
  await program.app.ready();
  return { app: program.app, clock };
}

/** The same values in each service, in the order of their use. */
function sameChance(): Random {
  let used = 0;
  const bytes = (outputLength: number) => {
    used += 1;
    return createHash('shake256', { outputLength }).update(String(used)).digest();
  };
  const digits = (length: number) => Array.from(bytes(length), (byte) => byte % 10).join('');
  return { bytes, digits };
}

function sceneOf(provider: ProviderDouble, origin: string): Omit<Scene, 'log'> {
  const client = (key: string | null) => new LiveClient({ service: { origin } }, key);
  return {
    provider,
    origin,
    bank: client(BANK_KEY),
    clinic: client(CLINIC_KEY),
    shop: client(SHOP_KEY),
    anybody: client(null),
  };
}

function settingsFor(provider: ProviderDouble, port: number, options: LiveOptions, atEnd: AtEnd) {
  const plan = {
    servicePort: port,
    simulatorPort: 0,
    folder: temporaryFolder('threats', atEnd),
    secretKey: '5e'.repeat(32),
    clients: [...Object.values(CLIENTS), CLINIC],
  };
  return {
    ...serviceSettings(plan),
    RATE_LIMITS: 'on',
    PROVIDER_URL: provider.url,
    PROVIDER_ISSUER: ISSUER,
    PROVIDER_AUDIENCE: AUDIENCE,
    PROVIDER_AUTHORIZE_ORIGIN: AUTHORIZE_ORIGIN,
    ...options.settings,
  };
}
