import { DEFAULT_API_TOKEN_LIFETIME_MS } from '../account/api-token.ts';
import { parseDatabaseUrl, type DatabaseAddress } from '../store/postgres/connection-url.ts';
import type { RetentionLimits } from '../values/retention.ts';
import type { WaiterLimits } from '../values/limits.ts';
import type { Secret } from '../values/secret.ts';
import { DAY_MS, SECOND_MS, type Ms } from '../values/time.ts';
import { ConfigError } from './config-error.ts';
import { conflictFaults } from './conflicts.ts';
import { flagOf, readFlags, type Flags } from './source/flags.ts';
import {
  misspeltIn,
  readerOf,
  readEnvironment,
  readSettingsFile,
  settingsFileOf,
  type SettingsFile,
} from './source/given.ts';
import { keptByNpm } from './source/kept-by-npm.ts';
import { chooseLan, LAN_VALUES, lanFaults, machineAddresses, type Lan } from './lan.ts';
import { readLive, type LiveConfig } from './live.ts';
import { modeFaults } from './mode-faults.ts';
import type { Name, Read, Values } from './names.ts';
import { readOperator, type OperatorConfig } from './operator.ts';
import {
  readProviderAccess,
  type ProviderAccess,
  type ProviderAccessFlags,
} from './provider-access.ts';
import {
  secretFilesIn,
  suppliedFolders,
  usedSecretFiles,
  withoutReading,
  withSecretFiles,
  type SecretFile,
} from './source/secret-files.ts';
import { readSimulator, type SimulatorConfig } from './simulator.ts';
import { LOG_LEVELS } from './settings.ts';
import { mergeLayers, type Sources } from './source/sources.ts';
import { readWaiters } from './source/waiters.ts';
import {
  originOf,
  parseAuditRetention,
  parseChoice,
  parseCollector,
  parseCidr,
  parseDrain,
  parseDuration,
  parseFixedPort,
  parseHost,
  parseList,
  parsePublicUrl,
  parsePageOrigin,
  parsePort,
  parseRatio,
  parseRetention,
  parseReturnPage,
  parseRowLimit,
  parseSecretKey,
  parseSwitch,
  parseToken,
} from './values.ts';

/** Where traces go. */
export interface TracesConfig {
  /** With the path of OTLP. */
  readonly url: string;
  readonly ratio: number;
}

export type { SettingsFile, Values };

/** All settings, checked. Frozen: nothing changes them while the service runs. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** An origin without a trailing slash. Every address in an answer begins with it. */
  readonly publicUrl: string;
  /** Null: simulator mode was not opened to the local network by `--lan`. */
  readonly lan: Lan | null;
  readonly allowedHosts: readonly string[];
  readonly dataDir: string;
  /** Null: the store is a file in `dataDir`. */
  readonly database: DatabaseAddress | null;
  /** Whether a store may be begun; false for an instance that joins others. */
  readonly mayBegin: boolean;
  /** Null: the key is in `dataDir`, and is created there at the first start. */
  readonly secretKey: Secret | null;
  /** Other keys that are read and looked up with: earlier ones, or the next one. */
  readonly retiredKeys: readonly Secret[];
  readonly provider: 'simulator' | 'live';
  /** Null in simulator mode. */
  readonly live: LiveConfig | null;
  /** Null in live mode. */
  readonly simulator: SimulatorConfig | null;
  readonly dashboardUrl: string;
  readonly rateLimits: boolean;
  /** How long a stop by SIGTERM still accepts connections. */
  readonly drainMs: Ms;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Whether the service is an OpenID Provider too. */
  readonly openid: boolean;
  /** Private networks that calls to the hosts of OpenID clients may reach. */
  readonly outboundAllow: readonly string[];
  /** Whether the API reader is served at /docs. */
  readonly docs: boolean;
  /** Required of every caller of the simulator's control API; null for none. */
  readonly simulatorToken: Secret | null;
  readonly tokenLifetimeMs: Ms;
  readonly retentionMs: Ms;
  readonly retentionLimits: RetentionLimits;
  /** Null: rows of the audit log are never removed. */
  readonly retentionAuditMs: Ms | null;
  /** Null: the end of the log is kept only in the store. */
  readonly auditHeadFile: string | null;
  /** Where a reader of the log keeps its place; null: nobody is told when that stands still. */
  readonly auditCursorFile: string | null;
  readonly waiters: WaiterLimits;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** The port of the listener for `/metrics`; null when it is served beside the API. */
  readonly metricsPort: number | null;
  readonly metricsHost: string;
  readonly traces: TracesConfig | null;
  /** Null: there are no pages for operators. */
  readonly operator: OperatorConfig | null;
  /** Some of them are read again while the service runs. */
  readonly secretFiles: readonly SecretFile[];
  /** NODE_EXTRA_CA_CERTS: the file of the authorities that Node trusts besides its own; null for none. */
  readonly authoritiesFile: string | null;
}

export { ConfigError, type OperatorConfig };

export interface Loaded {
  readonly config: Config;
  /**
   * The settings as written, including secrets and what files of secrets hold.
   * `config/describe.ts` needs those that `config` lacks.
   */
  readonly given: Values;
  /** Where each setting is from. What is not there has its default. */
  readonly sources: Sources;
  /** The folders of secrets that are for this service alone. */
  readonly supplied: readonly string[];
  /** A sentence for each variable with nearly the name of a setting. Alone they are no fault. */
  readonly misspelt: readonly string[];
  /** The file of settings; null where none was named. */
  readonly file: SettingsFile | null;
  /** What to print instead of running the service; null to run it. */
  readonly show: Flags['show'];
}

/**
 * Flags have priority over the environment, and the environment over the file given by `--config`.
 * @param found values determined at run time, with the highest priority: the port that was found
 * for PORT=0, on which other settings depend
 * @param machine the addresses at which other devices reach this machine
 * @param unread secrets that are not used: they have to be set, but no file of theirs is opened
 * @throws ConfigError with all faults
 */
export function loadConfig(
  args: readonly string[] = process.argv.slice(2),
  environment: NodeJS.ProcessEnv = process.env,
  found: Values = {},
  machine: () => readonly string[] = machineAddresses,
  unread: readonly Name[] = [],
): Loaded {
  const faults = [...keptByNpm(environment)];
  const flags = readFlags(args, faults);
  // Help is of no file, which may not be there yet.
  const path = flags.show === 'help' ? undefined : flags.config;
  const file = path === undefined ? {} : readSettingsFile(path, faults);
  const { values: written, sources } = mergeLayers([
    { values: flags.isLan ? LAN_VALUES : {}, sourceOf: () => 'from --lan' },
    { values: file, sourceOf: () => `from ${flags.config}` },
    { values: readEnvironment(environment, faults), sourceOf: () => 'from the environment' },
    { values: flags.values, sourceOf: (name) => `from --${flagOf(name)}` },
    { values: found, sourceOf: () => 'set by this command' },
  ]);
  const read = withoutReading(written, unread);
  const values = withSecretFiles(read, faults, sources);
  const lan = flags.isLan ? chooseLan(written.HOST, machine(), faults) : null;
  const config = {
    ...parseValues(values, lan, faults),
    secretFiles: usedSecretFiles(read, environment),
    authoritiesFile: readAuthoritiesFile(environment),
  };
  if (flags.isLan) faults.push(...lanFaults(lan, config, values));
  faults.push(
    ...modeFaults(config, values, flags.isLan),
    ...conflictFaults(config, values, flags.config),
  );
  const misspelt = misspeltIn(environment);
  if (faults.length > 0 && flags.show !== 'help') throw new ConfigError(faults, misspelt);
  return {
    config: Object.freeze(config),
    given: values,
    sources,
    file: settingsFileOf(flags.config, file),
    supplied: suppliedFolders(environment),
    misspelt,
    show: flags.show,
  };
}

/** For `miftah migrate`, whose container has the secrets of the database alone. */
export function loadForMigration(args: readonly string[], environment = process.env): Loaded {
  const unread = ['PROVIDER_APP_ID', 'PROVIDER_APP_KEY'] as const;
  return loadConfig(args, environment, {}, machineAddresses, unread);
}

/**
 * `CLIENTS_FILE`, for a command that works on that file: it needs no secret, and no other setting.
 * @param file that `--config` names
 * @throws ConfigError
 */
export function loadClientsPlace(
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
): string | null {
  const faults: string[] = [];
  const written = file === undefined ? {} : readSettingsFile(file, faults);
  const { CLIENTS_FILE = null } = { ...written, ...readEnvironment(environment, faults) };
  if (faults.length > 0) throw new ConfigError(faults);
  return CLIENTS_FILE;
}

/** For a command that calls a provider, where no service has to be. @throws ConfigError */
export function loadProviderAccess(
  flags: ProviderAccessFlags,
  environment: NodeJS.ProcessEnv,
): ProviderAccess {
  return readProviderAccess(flags, environment);
}

function readAuthoritiesFile({ NODE_EXTRA_CA_CERTS: path = '' }: NodeJS.ProcessEnv) {
  return path === '' ? null : path;
}

type FilesOfConfig = Pick<Config, 'secretFiles' | 'authoritiesFile'>;

function parseValues(
  values: Values,
  lan: Lan | null,
  faults: string[],
): Omit<Config, keyof FilesOfConfig> {
  const read = readerOf(values, faults);
  const host = read('HOST', '127.0.0.1', parseHost);
  const port = read('PORT', 3000, parsePort);
  const own = originOf(lan?.address ?? host, port);
  const publicUrl = read('PUBLIC_URL', own, parsePublicUrl);
  const provider = read('PROVIDER', 'simulator', (text) => parseChoice(text, PROVIDERS));
  const metrics = readMetrics(port, read);
  return {
    host,
    port,
    publicUrl,
    lan,
    allowedHosts: read('ALLOWED_HOSTS', [], (text) => parseList(text, parseHost)),
    dataDir: read('DATA_DIR', './data', String),
    database: read<DatabaseAddress | null>('DATABASE_URL', null, parseDatabaseUrl),
    mayBegin: read('NEW_STORE', true, (text) => parseChoice(text, ['yes', 'no']) === 'yes'),
    ...readKeys(read),
    provider,
    live: provider === 'live' ? readLive(values, read, faults) : null,
    simulator: provider === 'simulator' ? readSimulator(read) : null,
    dashboardUrl: read('DASHBOARD_URL', `${publicUrl}/dashboard`, parseReturnPage),
    ...readLimits(read),
    drainMs: read('DRAIN_TIME', DEFAULT_DRAIN_MS, parseDrain),
    trustedProxies: read('TRUSTED_PROXIES', [], (text) => parseList(text, parseCidr)),
    corsOrigins: read('CORS_ORIGINS', [], (text) => parseList(text, parsePageOrigin)),
    openid: read('OPENID', false, parseSwitch),
    outboundAllow: read('OUTBOUND_ALLOW', [], (text) => parseList(text, parseCidr)),
    docs: read('DOCS', provider === 'simulator', parseSwitch),
    simulatorToken: read<Secret | null>('SIMULATOR_TOKEN', null, parseToken),
    tokenLifetimeMs: read('TOKEN_LIFETIME', DEFAULT_API_TOKEN_LIFETIME_MS, parseDuration),
    ...readRetention(read),
    auditHeadFile: read<string | null>('AUDIT_HEAD_FILE', null, String),
    auditCursorFile: read<string | null>('AUDIT_CURSOR_FILE', null, String),
    logLevel: read('LOG_LEVEL', 'info', (text) => parseChoice(text, LOG_LEVELS)),
    ...metrics,
    traces: readTraces(read),
    operator: readOperator(values, read, [port, metrics.metricsPort], faults),
  };
}

function readKeys(read: Read) {
  return {
    secretKey: read<Secret | null>('SECRET_KEY', null, parseSecretKey),
    retiredKeys: read('RETIRED_SECRET_KEYS', [], (text) => parseList(text, parseSecretKey)),
  };
}

function readLimits(read: Read) {
  return {
    rateLimits: read('RATE_LIMITS', true, parseSwitch),
    waiters: readWaiters(read),
  };
}

function readRetention(read: Read) {
  return {
    retentionMs: read('RETENTION', DAY_MS, parseRetention),
    retentionLimits: {
      maxAttempts: read<number | null>('RETENTION_MAX_ATTEMPTS', null, parseRowLimit),
      maxCalls: read<number | null>('RETENTION_MAX_CALLS', null, parseRowLimit),
      callsMs: read<Ms | null>('RETENTION_CALLS', null, parseDuration),
    },
    retentionAuditMs: read<Ms | null>('RETENTION_AUDIT', null, parseAuditRetention),
  };
}

const DEFAULT_DRAIN_MS = 2 * SECOND_MS;

const PROVIDERS = ['simulator', 'live'] as const;

function readMetrics(apiPort: number, read: Read) {
  return {
    metricsPort: readMetricsPort(apiPort, read),
    metricsHost: read('METRICS_HOST', '127.0.0.1', parseHost),
  };
}

function readTraces(read: Read): TracesConfig | null {
  const endpoint = read<string | null>('OTEL_EXPORTER_OTLP_ENDPOINT', null, parseCollector);
  const ratio = read('TRACES_RATIO', 1, parseRatio);
  return endpoint === null ? null : { url: `${endpoint}/v1/traces`, ratio };
}

function readMetricsPort(apiPort: number, read: Read): number | null {
  const port = read<number | null>('METRICS_PORT', null, parseFixedPort);
  if (port === apiPort) {
    read('METRICS_PORT', null, () => {
      throw new Error('must be another port than PORT');
    });
  }
  return port;
}

/** What npm runs, and has started this program for; undefined where npm has not started it. */
export function npmScript(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment['npm_lifecycle_script'];
}

/** The environment for a command that this program starts: its own settings, wherever they are from. */
export function environmentFor(
  { given }: Pick<Loaded, 'given'>,
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  // What a file holds is read from it again.
  const inFiles = new Set<string>(secretFilesIn(given).map(({ secret }) => secret));
  const written = Object.entries(given).filter(([name]) => !inFiles.has(name));
  return { ...environment, ...Object.fromEntries(written) };
}

/** The first descriptor that systemd hands over (sd_listen_fds(3)). */
const FIRST_DESCRIPTOR = 3;

/**
 * The descriptors of sockets that a supervisor hands over to this process. Programs that this one
 * starts are not told of them.
 */
export function takeDescriptors(environment: NodeJS.ProcessEnv = process.env): readonly number[] {
  const { LISTEN_PID: pid, LISTEN_FDS: count } = environment;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete environment[name];
  if (pid !== String(process.pid)) return [];
  return Array.from({ length: Number(count) || 0 }, (_, index) => FIRST_DESCRIPTOR + index);
}
