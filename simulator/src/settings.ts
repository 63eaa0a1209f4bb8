import { environmentWarnings } from '@miftah/schema/misspelt-settings';
import { CLAIM_PROFILE_NAMES, type ClaimProfileName } from './engine/claims/claim-forms.ts';
import { parseService, SERVICES_IN_USE, type Service, type Services } from './engine/services.ts';
import { isLoopbackName } from './http/host-name.ts';
import {
  REPORTED_PREFIXES,
  type AcceptedStatus,
  type Credentials,
  type RelyingParty,
} from './options.ts';
import { readSecretFile } from './platform/secret-file.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The settings of the simulator as a program of its own. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** An origin; every address in an answer begins with it. */
  readonly publicUrl: string;
  /** Area B answers below each of them; an empty one is none. */
  readonly providerPrefixes: readonly string[];
  readonly dataDir: string;
  readonly peopleFile: string | null;
  readonly credentials: Credentials | null;
  /** The form of web tokens' claims where reports disagree. */
  readonly profile: ClaimProfileName;
  readonly pushStatus: AcceptedStatus;
  readonly services: Services;
  readonly clientId: string;
  readonly audience: string;
  readonly issuer: string;
  /** Of the tokens of sign-ins by browser, where it is another one. */
  readonly webIssuer: string | null;
  readonly relyingParty: RelyingParty;
  readonly token: string | null;
  readonly allowedHosts: readonly string[];
  readonly logLevel: LogLevel;
}

export type SettingsResult =
  | { readonly ok: true; readonly settings: Settings; readonly misspelt: readonly string[] }
  | { readonly ok: false; readonly faults: readonly string[] };

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = 4000;
const SERVICE_ORIGIN = 'http://127.0.0.1:3000';
const RELYING_PARTY = 'https://relying-party.example.test';
const PUSH_STATUSES = { '200': 200, '201': 201 } as const;
const RETURN_METHODS = ['GET', 'POST'] as const;
const TOKEN_PATTERN = /^[\x21-\x7e]{16,255}$/;
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * Reads all settings before refusing any, so that one start lists every fault. For PORT=0 the
 * caller finds a free port and reads again, because addresses contain the port.
 */
export function readSettings(env: Environment, freePort?: number): SettingsResult {
  const faults: string[] = [];
  const read = new Reader(env, faults);
  const host = read.text('HOST') ?? '127.0.0.1';
  const port = freePort ?? read.port('PORT', DEFAULT_PORT);
  const publicUrl = read.origin('PUBLIC_URL', `http://${urlHost(host)}:${port}`);
  const settings: Settings = {
    host,
    port,
    publicUrl,
    providerPrefixes: read.prefixes('PROVIDER_PATH_PREFIX', REPORTED_PREFIXES),
    dataDir: read.text('DATA_DIR') ?? './data/simulator',
    peopleFile: read.text('PEOPLE_FILE'),
    credentials: read.credentials(),
    profile: read.oneOf('PROFILE', CLAIM_PROFILE_NAMES, 'reported'),
    pushStatus: PUSH_STATUSES[read.oneOf('PUSH_STATUS', ['200', '201'], '200')],
    services: read.services('SERVICES'),
    clientId: read.address('CLIENT_ID', RELYING_PARTY),
    audience: read.address('AUDIENCE', RELYING_PARTY),
    issuer: read.issuer('ISSUER') ?? publicUrl,
    webIssuer: read.issuer('WEB_ISSUER'),
    relyingParty: relyingParty(read),
    token: read.token('SIMULATOR_TOKEN'),
    allowedHosts: read.names('ALLOWED_HOSTS'),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'warn'),
  };
  faults.push(...dangers(env, settings), ...keptByNpm(env, [...read.asked]));
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, settings, misspelt: environmentWarnings(env, [...read.asked]) };
}

/** What was written as a flag, which npm reads as a setting of its own. A value is not repeated. */
function keptByNpm(env: Environment, names: readonly string[]): readonly string[] {
  if (env['npm_lifecycle_event'] === undefined) return [];
  return names
    .filter((name) => `npm_config_${name.toLowerCase()}` in env)
    .map((name) => `npm keeps flags for itself: set ${name} in the environment`);
}

function relyingParty(read: Reader): RelyingParty {
  return {
    returnUrl: read.address('RELYING_PARTY_RETURN_URL', `${SERVICE_ORIGIN}/api/v1/callback`),
    returnMethod: read.oneOf('RELYING_PARTY_RETURN_METHOD', RETURN_METHODS, 'GET'),
    pushUrl: read.address(
      'RELYING_PARTY_PUSH_URL',
      `${SERVICE_ORIGIN}/api/v1/provider/mfa-callback`,
    ),
  };
}

/** Everybody can sign in as anybody here, so other machines may reach it only with a token. */
function dangers(env: Environment, { host, publicUrl, token }: Settings): readonly string[] {
  const found: string[] = [];
  if (env['NODE_ENV'] === 'production' && env['ALLOW_SIMULATOR'] !== 'yes') {
    found.push('NODE_ENV is production: a simulator there needs ALLOW_SIMULATOR=yes');
  }
  if (token !== null) return found;
  if (!isLoopbackName(urlHost(host, host))) {
    found.push(`HOST ${host} can be reached from other machines: set SIMULATOR_TOKEN`);
  }
  if (URL.canParse(publicUrl) && !isLoopbackName(new URL(publicUrl).hostname)) {
    found.push(`PUBLIC_URL ${publicUrl} can be reached from other machines: set SIMULATOR_TOKEN`);
  }
  return found;
}

/** A host as part of a URL: IPv6 in brackets, and a wildcard address as `wildcard`. */
function urlHost(host: string, wildcard = '127.0.0.1'): string {
  if (WILDCARDS.has(host)) return wildcard;
  return host.includes(':') ? `[${host}]` : host;
}

/** What is set, but nothing that may be a secret in a wrong place, or a password of an address. */
function shown(value: string): string {
  return /@|\bmf[kt]_|^[0-9a-f]{64}$|\p{Cc}/iu.test(value) ? '' : ` ${value}`;
}

/** Reads variables. An invalid value is added to the faults, and the default is used instead. */
class Reader {
  /** The names of all variables that were asked for. */
  readonly asked = new Set(['NODE_ENV', 'ALLOW_SIMULATOR']);
  readonly #env: Environment;
  readonly #faults: string[];

  constructor(env: Environment, faults: string[]) {
    this.#env = env;
    this.#faults = faults;
  }

  /** An empty variable counts as not set. */
  text(name: string): string | null {
    this.asked.add(name);
    const value = this.#env[name]?.trim() ?? '';
    return value === '' ? null : value;
  }

  port(name: string, fallback: number): number {
    const value = this.text(name) ?? String(fallback);
    const port = Number(value);
    if (/^\d{1,5}$/.test(value) && port <= 65_535) return port;
    return this.#fault(`${name}${shown(value)} is not a port (0 to 65535)`, fallback);
  }

  address(name: string, fallback: string): string {
    const value = this.text(name) ?? fallback;
    if (/^https?:\/\//i.test(value) && URL.canParse(value)) return value;
    return this.#fault(`${name}${shown(value)} is not an http or https address`, fallback);
  }

  /** An address, or a name: both are reported. */
  issuer(name: string): string | null {
    const value = this.text(name);
    if (value === null || /^[!-~]{1,255}$/.test(value)) return value;
    return this.#fault(`${name} must be 1 to 255 visible ASCII characters`, null);
  }

  origin(name: string, fallback: string): string {
    const value = this.address(name, fallback);
    if (!URL.canParse(value)) return fallback;
    const { origin, href } = new URL(value);
    if (href === `${origin}/`) return origin;
    return this.#fault(
      `${name}${shown(value)} is more than an origin (scheme, host and port)`,
      origin,
    );
  }

  /** An empty value is valid here: it means no prefix, as `/` does. */
  prefixes(name: string, fallback: readonly string[]): readonly string[] {
    this.asked.add(name);
    const value = this.#env[name];
    if (value === undefined) return fallback;
    const parts = value.split(',').map((part) => part.trim());
    const wrong = parts.find((part) => !/^(\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$|^\/$/.test(part));
    if (wrong === undefined) return [...new Set(parts.map((part) => (part === '/' ? '' : part)))];
    return this.#fault(`${name}${shown(wrong)} is not a path like /stg, or / for none`, fallback);
  }

  names(name: string): readonly string[] {
    return this.list(name).map((part) => part.toLowerCase());
  }

  list(name: string): readonly string[] {
    const parts = (this.text(name) ?? '').split(',').map((part) => part.trim());
    return parts.filter((part) => part !== '');
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const value = this.text(name) ?? fallback;
    const choice = choices.find((candidate) => candidate === value);
    return (
      choice ?? this.#fault(`${name}${shown(value)} is not one of ${choices.join(', ')}`, fallback)
    );
  }

  services(name: string): Services {
    const read = this.list(name).map((text) => parseService(text) ?? this.#notAService(name, text));
    const services = new Map<string, Service>();
    for (const [service, terms] of read.filter((each) => each !== null)) {
      if (services.has(service)) this.#fault(`${name} has ${service} twice`, null);
      services.set(service, terms);
    }
    return services.size === 0 ? SERVICES_IN_USE : services;
  }

  /** From the variable, or from the file that the variable of its name with `_FILE` names. */
  secret(name: string): string | null {
    const path = this.text(`${name}_FILE`);
    const value = this.text(name);
    if (path === null) return value;
    if (value !== null) {
      return this.#fault(`${name}_FILE and ${name} are both set: keep one`, value);
    }
    const read = readSecretFile(path);
    return 'fault' in read ? this.#fault(`${name}_FILE ${read.fault}`, null) : read.text;
  }

  /** The value of a secret is never part of a fault. */
  token(name: string): string | null {
    const value = this.secret(name);
    if (value === null || TOKEN_PATTERN.test(value)) return value;
    return this.#fault(`${name} must be 16 to 255 visible ASCII characters`, value);
  }

  credentials(): Credentials | null {
    const before = this.#faults.length;
    const appId = this.secret('APP_ID');
    const appKey = this.secret('APP_KEY');
    if (appId !== null && appKey !== null) return { appId, appKey };
    if ((appId === null && appKey === null) || this.#faults.length > before) return null;
    return this.#fault('APP_ID and APP_KEY belong together: set both or neither', null);
  }

  #notAService(name: string, text: string): null {
    const forms = 'Login, Login:60, ResetPassword:thin:180, Bank* or *';
    return this.#fault(`${name}${shown(text)} is not a service like ${forms}`, null);
  }

  #fault<Value>(fault: string, instead: Value): Value {
    this.#faults.push(fault);
    return instead;
  }
}
