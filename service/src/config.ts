import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { parseArgs, parseEnv } from 'node:util';
import { Secret } from './domain/secret.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type Ms } from './domain/time.ts';

export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** Everything an operator can set, checked. Frozen: nothing changes it while the service runs. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** An origin, without a trailing slash. Every address in an answer begins with it. */
  readonly publicUrl: string;
  readonly allowedHosts: readonly string[];
  readonly dataDir: string;
  /** Null: kept in `dataDir`, made at the first start. */
  readonly secretKey: Secret | null;
  readonly provider: 'simulator';
  readonly dashboardUrl: string;
  readonly rateLimits: boolean;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Asked of every caller of the simulator's control API. */
  readonly simulatorToken: Secret | null;
  readonly tokenLifetimeMs: Ms;
  readonly retentionMs: Ms;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

/** All that is wrong with the settings, in one go. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`${faults.length} of the settings can't be used:\n  - ${faults.join('\n  - ')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

interface Setting {
  readonly help: string;
  readonly secret?: true;
}

/** The names, also as flags: `PUBLIC_URL` is `--public-url`. docs/configuration.md explains them. */
export const SETTINGS = {
  HOST: { help: 'address to listen on (127.0.0.1)' },
  PORT: { help: 'port to listen on (3000)' },
  PUBLIC_URL: { help: 'origin under which clients reach the service (http://HOST:PORT)' },
  ALLOWED_HOSTS: { help: 'further host names that requests may carry, comma separated' },
  DATA_DIR: { help: 'folder of the database and the secret key (./data)' },
  SECRET_KEY: { help: '32 bytes in hex', secret: true },
  SECRET_KEY_FILE: { help: 'file that holds SECRET_KEY' },
  PROVIDER: { help: 'identity provider: simulator' },
  DASHBOARD_URL: { help: 'where the browser goes after sign-in (PUBLIC_URL/dashboard)' },
  RATE_LIMITS: { help: 'on or off (on)' },
  TRUSTED_PROXIES: { help: 'addresses or CIDRs whose X-Forwarded-For is believed' },
  CORS_ORIGINS: { help: 'origins of browser applications, beside loopback ones' },
  TOKEN_LIFETIME: { help: 'of API tokens: 30d, 12h, 45m (30d)' },
  RETENTION: { help: 'how long ended attempts are kept after their expiry (24h)' },
  LOG_LEVEL: { help: `${LOG_LEVELS.join(', ')} (info)` },
  SIMULATOR_TOKEN: { help: 'asked of callers of /simulator/*', secret: true },
  ALLOW_SIMULATOR: { help: 'yes: run the simulator although NODE_ENV is production' },
  NODE_ENV: { help: 'production refuses the simulator' },
} as const satisfies Record<string, Setting>;

type Name = keyof typeof SETTINGS;
type Values = Partial<Record<Name, string>>;

/** Set for a real provider: with the simulator running, one of the two is a mistake. */
const LIVE_ONLY = ['PROVIDER_URL', 'PROVIDER_APP_ID', 'PROVIDER_APP_KEY'];

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

export function isLoopback(hostname: string): boolean {
  return LOOPBACK_NAMES.has(hostname);
}

export interface Loaded {
  readonly config: Config;
  /** What the caller wants to see instead of a running service. */
  readonly show: 'help' | 'config' | null;
}

/**
 * Flags win over the environment, the environment over the file named by `--config`.
 * @throws ConfigError naming every fault at once
 */
export function loadConfig(
  args: readonly string[] = process.argv.slice(2),
  environment: NodeJS.ProcessEnv = process.env,
): Loaded {
  const faults: string[] = [];
  const flags = readFlags(args, faults);
  const file = flags.config === undefined ? {} : readSettingsFile(flags.config, faults);
  const values: Values = { ...file, ...readEnvironment(environment, faults), ...flags.values };
  const config = parseValues(values, faults);
  faults.push(...modeFaults(config, values, environment));
  if (faults.length > 0) throw new ConfigError(faults);
  return { config: Object.freeze(config), show: flags.show };
}

interface Flags {
  readonly values: Values;
  readonly config?: string | undefined;
  readonly show: Loaded['show'];
}

function readFlags(args: readonly string[], faults: string[]): Flags {
  const settings = Object.keys(SETTINGS).map((name) => [flagOf(name), { type: 'string' as const }]);
  const switches = { help: { type: 'boolean' }, 'show-config': { type: 'boolean' } } as const;
  const options = {
    ...Object.fromEntries(settings),
    config: { type: 'string' },
    ...switches,
  } as const;
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true });
    const { config, help, 'show-config': showConfig, ...rest } = values as Record<string, string>;
    const named = Object.entries(rest).map(([flag, value]) => [nameOf(flag), value]);
    const show = help ? 'help' : showConfig ? 'config' : null;
    return { config, show, values: Object.fromEntries(named) as Values };
  } catch (error) {
    faults.push(`${messageOf(error)}. See --help`);
    return { show: null, values: {} };
  }
}

/** Every setting, for `--help`. */
export function usage(): string {
  const lines = Object.entries(SETTINGS).map(
    ([name, { help }]) => `  --${flagOf(name).padEnd(18)} ${name.padEnd(18)} ${help}`,
  );
  return ['Settings, as flags or in the environment:', ...lines, ...SWITCHES].join('\n');
}

const SWITCHES = [
  '  --config FILE        a file of NAME=value lines',
  '  --show-config        print the settings in force and stop',
];

function readSettingsFile(path: string, faults: string[]): Values {
  try {
    const entries = Object.entries(parseEnv(readFileSync(path, 'utf8')));
    const unknown = entries.map(([name]) => name).filter((name) => !isName(name));
    if (unknown.length > 0) faults.push(`${path} has unknown settings: ${unknown.join(', ')}`);
    return Object.fromEntries(entries.filter(([name]) => isName(name)));
  } catch (error) {
    faults.push(`--config ${path} can't be read: ${messageOf(error)}`);
    return {};
  }
}

function readEnvironment(environment: NodeJS.ProcessEnv, faults: string[]): Values {
  const unknown = Object.keys(environment).filter((name) => name.startsWith('MIFTAH_'));
  if (unknown.length > 0) faults.push(`unknown in the environment: ${unknown.join(', ')}`);
  const known = Object.entries(environment).filter(([name, value]) => isName(name) && value !== '');
  return Object.fromEntries(known);
}

function parseValues(values: Values, faults: string[]): Config {
  const read = <T>(name: Name, otherwise: T, parse: (text: string) => T): T => {
    const text = values[name];
    if (text === undefined) return otherwise;
    try {
      return parse(text);
    } catch (error) {
      const shown = 'secret' in SETTINGS[name] ? '' : ` (it is ${JSON.stringify(text)})`;
      faults.push(`${name} ${messageOf(error)}${shown}`);
      return otherwise;
    }
  };
  const host = read('HOST', '127.0.0.1', parseHost);
  const port = read('PORT', 3000, parsePort);
  const publicUrl = read('PUBLIC_URL', originOf(host, port), parseOrigin);
  return {
    host,
    port,
    publicUrl,
    allowedHosts: read('ALLOWED_HOSTS', [], (text) => parseList(text, parseHost)),
    dataDir: read('DATA_DIR', './data', String),
    secretKey: readSecretKey(values, read),
    provider: read('PROVIDER', 'simulator' as const, parseProvider),
    dashboardUrl: read('DASHBOARD_URL', `${publicUrl}/dashboard`, parseWebAddress),
    rateLimits: read('RATE_LIMITS', true, (text) => parseChoice(text, ['on', 'off']) === 'on'),
    trustedProxies: read('TRUSTED_PROXIES', [], (text) => parseList(text, parseCidr)),
    corsOrigins: read('CORS_ORIGINS', [], (text) => parseList(text, parseOrigin)),
    simulatorToken: read<Secret | null>('SIMULATOR_TOKEN', null, parseToken),
    tokenLifetimeMs: read('TOKEN_LIFETIME', 30 * DAY_MS, parseDuration),
    retentionMs: read('RETENTION', DAY_MS, parseDuration),
    logLevel: read('LOG_LEVEL', 'info', (text) => parseChoice(text, LOG_LEVELS)),
  };
}

type Read = <T>(name: Name, otherwise: T, parse: (text: string) => T) => T;

function readSecretKey(values: Values, read: Read): Secret | null {
  if (values.SECRET_KEY !== undefined && values.SECRET_KEY_FILE !== undefined) {
    return read('SECRET_KEY_FILE', null, () => {
      throw new Error('and SECRET_KEY are both set: keep one');
    });
  }
  const fromFile = (path: string) => parseSecretKey(readFileSync(path, 'utf8').trim());
  return read('SECRET_KEY_FILE', null, fromFile) ?? read('SECRET_KEY', null, parseSecretKey);
}

/** Where the simulator must not run unless somebody has said so (security.md, "Two modes"). */
function modeFaults(config: Config, values: Values, environment: NodeJS.ProcessEnv): string[] {
  const faults: string[] = [];
  const local = isLoopback(config.host) && isLoopback(new URL(config.publicUrl).hostname);
  if ((!local || config.trustedProxies.length > 0) && values.PROVIDER === undefined) {
    faults.push(
      'HOST, PUBLIC_URL or TRUSTED_PROXIES open the service to others, and no identity provider ' +
        'is chosen: set PROVIDER=simulator if everybody may sign in as anybody',
    );
  }
  if (values.NODE_ENV === 'production' && values.ALLOW_SIMULATOR !== 'yes') {
    faults.push(
      'the simulator refuses NODE_ENV=production: set ALLOW_SIMULATOR=yes if you mean it',
    );
  }
  const live = LIVE_ONLY.filter((name) => environment[name] !== undefined);
  if (live.length > 0) {
    faults.push(`${live.join(', ')} belong to a real provider, but PROVIDER is the simulator`);
  }
  return faults;
}

/** The settings in force, for an operator to read: one a line, secrets hidden. */
export function describeConfig(config: Config): string {
  return Object.entries(config)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join('\n');
}

function parseHost(text: string): string {
  const plain = isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(text);
  return plain
    ? text.toLowerCase()
    : refuse('must be an IP address or a host name, without a port');
}

function parsePort(text: string): number {
  const port = Number(text);
  return /^\d+$/.test(text) && port >= 1 && port <= 65_535 ? port : refuse('must be 1 to 65535');
}

function parseWebAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return refuse('must be an http(s) address');
  return url.username + url.password === '' ? url.href : refuse('must not hold a user or password');
}

function parseOrigin(text: string): string {
  const { origin, href } = new URL(parseWebAddress(text));
  return href === `${origin}/` ? origin : refuse('must be an origin: scheme, host and port only');
}

function parseCidr(text: string): string {
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  if (family === 0) return refuse('must be IP addresses or CIDRs');
  new BlockList().addSubnet(
    address,
    Number(bits ?? (family === 4 ? 32 : 128)),
    `ipv${family as 4 | 6}`,
  );
  return text;
}

function parseProvider(text: string): 'simulator' {
  if (text === 'live') return refuse('live is not built yet: this release has the simulator only');
  return parseChoice(text, ['simulator']);
}

function parseSecretKey(text: string): Secret {
  return /^[0-9a-fA-F]{64}$/.test(text) ? new Secret(text) : refuse('must be 64 hex digits');
}

function parseToken(text: string): Secret {
  return /^[\x21-\x7e]{16,}$/.test(text)
    ? new Secret(text)
    : refuse('must be 16 characters or more');
}

function parseDuration(text: string): Ms {
  const units = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
  const [, count, unit] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  if (count === undefined) return refuse('must be a number and a unit: 90s, 45m, 12h or 30d');
  return Number(count) * units[unit as keyof typeof units];
}

function parseChoice<Choice extends string>(text: string, choices: readonly Choice[]): Choice {
  return choices.find((choice) => choice === text) ?? refuse(`must be ${choices.join(' or ')}`);
}

function parseList<Item>(text: string, parse: (item: string) => Item): Item[] {
  return text.split(',').map((item) => parse(item.trim()));
}

function refuse(reason: string): never {
  throw new Error(reason);
}

function originOf(host: string, port: number): string {
  return new URL(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`).origin;
}

const flagOf = (name: string) => name.toLowerCase().replaceAll('_', '-');
const nameOf = (flag: string) => flag.toUpperCase().replaceAll('-', '_');
const isName = (name: string): name is Name => Object.hasOwn(SETTINGS, name);
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
