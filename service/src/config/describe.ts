import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type Ms } from '../values/time.ts';
import type { Config, Loaded } from './config.ts';
import { BY_FLOW, describeByFlow } from './by-flow.ts';
import type { LiveConfig } from './live.ts';
import { isName, type Name, type Values } from './names.ts';
import { secretFilesIn } from './source/secret-files.ts';
import { SETTINGS } from './settings.ts';
import type { SimulatorConfig } from './simulator.ts';

/** The settings that apply in this mode. An empty text means that it is not set. */
type Described = Partial<Record<Name, string>>;

/**
 * The current settings as an operator writes them: one `NAME=value` per line, in the order of
 * `--help`, with a comment that says where it is from. Secrets are hidden; with them filled in,
 * `--config` reads the same settings again.
 */
export function describeConfig({
  config,
  given,
  sources,
}: Pick<Loaded, 'config' | 'given' | 'sources'>): string {
  const described: Described = {
    ...describeCommon(config),
    SECRET_KEY: hidden(config.secretKey),
    RETIRED_SECRET_KEYS: config.retiredKeys.map(hidden).join(','),
    ...(config.live === null ? {} : describeLive(config.live, given)),
    ...(config.simulator === null ? {} : describeSimulator(config, config.simulator)),
    ALLOW_SIMULATOR: given.ALLOW_SIMULATOR ?? '',
    NODE_ENV: given.NODE_ENV ?? '',
  };
  const values = new Map(Object.entries({ ...described, ...describeFiles(described, given) }));
  return Object.keys(SETTINGS)
    .filter(isName)
    .flatMap((name) => lineOf(name, values.get(name), sources[name] ?? 'default'))
    .join('\n');
}

/** The path of a secret's file, in place of the secret. */
function describeFiles(described: Described, given: Values): Record<string, string | undefined> {
  const files = secretFilesIn(given).filter(({ secret }) => described[secret] !== undefined);
  return Object.fromEntries(
    files.flatMap(({ secret, setting, path }) => [
      [secret, undefined],
      [setting, path],
    ]),
  );
}

function describeCommon(config: Config): Described {
  return {
    HOST: config.host,
    PORT: String(config.port),
    PUBLIC_URL: config.publicUrl,
    ALLOWED_HOSTS: config.allowedHosts.join(','),
    DATA_DIR: config.dataDir,
    DATABASE_URL: config.database === null ? '' : '[secret]',
    NEW_STORE: config.mayBegin ? 'yes' : 'no',
    PROVIDER: config.provider,
    RATE_LIMITS: onOrOff(config.rateLimits),
    DRAIN_TIME: durationOf(config.drainMs),
    TRUSTED_PROXIES: config.trustedProxies.join(','),
    CORS_ORIGINS: config.corsOrigins.join(','),
    OPENID: onOrOff(config.openid),
    OUTBOUND_ALLOW: config.outboundAllow.join(','),
    DOCS: onOrOff(config.docs),
    WAITERS_MAX: String(config.waiters.most),
    WAITERS_PER_CLIENT: String(config.waiters.ofClient),
    WAITERS_PER_ADDRESS: String(config.waiters.ofAddress),
    TOKEN_LIFETIME: durationOf(config.tokenLifetimeMs),
    RETENTION: durationOf(config.retentionMs),
    ...describeLimits(config),
    RETENTION_AUDIT: config.retentionAuditMs === null ? '' : durationOf(config.retentionAuditMs),
    AUDIT_HEAD_FILE: config.auditHeadFile ?? '',
    AUDIT_CURSOR_FILE: config.auditCursorFile ?? '',
    METRICS_PORT: String(config.metricsPort ?? ''),
    METRICS_HOST: config.metricsHost,
    ...describeOperator(config),
    OTEL_EXPORTER_OTLP_ENDPOINT: config.traces?.url.replace(/\/v1\/traces$/, '') ?? '',
    TRACES_RATIO: config.traces === null ? '' : String(config.traces.ratio),
    LOG_LEVEL: config.logLevel,
  };
}

function describeOperator({ operator }: Config): Described {
  return {
    OPERATOR_PORT: String(operator?.port ?? ''),
    OPERATOR_HOST: operator?.host ?? '',
    OPERATOR_URL: operator?.url ?? '',
    OPERATOR_ALLOWED_HOSTS: operator?.allowedHosts.join(',') ?? '',
    OPERATOR_ISSUER: operator?.people?.issuer ?? '',
    OPERATOR_CLIENT_ID: operator?.people?.clientId ?? '',
    OPERATOR_CLIENT_SECRET: hidden(operator?.people?.clientSecret ?? null),
    OPERATOR_ROLES_FILE: operator?.people?.rolesFile ?? '',
  };
}

function describeLimits({ retentionLimits }: Config): Described {
  const { maxAttempts, maxCalls, callsMs } = retentionLimits;
  return {
    RETENTION_MAX_ATTEMPTS: String(maxAttempts ?? ''),
    RETENTION_CALLS: callsMs === null ? '' : durationOf(callsMs),
    RETENTION_MAX_CALLS: String(maxCalls ?? ''),
  };
}

function describeSimulator(config: Config, simulator: SimulatorConfig): Described {
  return {
    STRICT: simulator.isStrict ? 'yes' : 'no',
    BUDGETS: onOrOff(simulator.hasPushBudgets),
    TIME_LINES: onOrOff(simulator.keepsTimeLines),
    PEOPLE_FILE: simulator.peopleFile ?? '',
    CLIENTS_FILE: simulator.clientsFile ?? '',
    DASHBOARD_URL: config.dashboardUrl,
    SIMULATOR_TOKEN: hidden(config.simulatorToken),
  };
}

function describeLive(live: LiveConfig, given: Values): Described {
  const { oidc, mfa } = live.pathPrefixes;
  return {
    PROVIDER_URL: live.url,
    ...describeByFlow(BY_FLOW.pathPrefixes, { oidc: oidc || '/', mfa: mfa || '/' }, given),
    PROVIDER_APP_ID: hidden(live.appId),
    PROVIDER_APP_KEY: hidden(live.appKey),
    PROVIDER_OWN_ADDRESS: live.ownAddress ?? '',
    PROVIDER_SERVICE: live.service,
    ...describeByFlow(BY_FLOW.issuers, live.issuers, given),
    PROVIDER_AUDIENCE: live.audience,
    PROVIDER_AUTHORIZE_ORIGIN: live.authorizeOrigin,
    PROVIDER_MFA_CALLBACK: live.hasPushCallback ? 'registered' : '',
    PROVIDER_PUSH_LIFETIME: durationOf(live.pushLifetimeMs),
    MINIMUM_ASSURANCE: String(live.minimumAssurance),
    CLIENTS_FILE: live.clientsFile,
  };
}

function lineOf(name: Name, value: string | undefined, source: string): string[] {
  if (value === undefined) return [];
  if (value === '') return [`# ${name} is not set`];
  const line = settingLine(name, value);
  return line === null
    ? [`# ${name} has a value that no settings file can hold: ${value}`]
    : [`${line}  # ${source.replaceAll(/\s+/g, ' ')}`];
}

/** A setting as a line of a file; null for a value that no file can hold. */
export function settingLine(name: string, value: string): string | null {
  // In a settings file # begins a comment, and a value may be quoted.
  if (!/[\s#"'`\\]/.test(value)) return `${name}=${value}`;
  const quote = ["'", '`', '"'].find((one) => isQuotable(value, one));
  return quote === undefined ? null : `${name}=${quote}${value}${quote}`;
}

/** Between double quotes, a backslash changes what comes after it. */
function isQuotable(value: string, quote: string): boolean {
  return !value.includes(quote) && !(quote === '"' && value.includes('\\'));
}

const UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', MINUTE_MS],
  ['s', SECOND_MS],
] as const;

/** In the largest unit that gives a whole number: 90s, 45m, 12h, 30d. */
function durationOf(duration: Ms): string {
  if (duration === 0) return '0s';
  const [unit, unitMs] = UNITS.find(([, ms]) => duration % ms === 0) ?? ['s', SECOND_MS];
  return `${duration / unitMs}${unit}`;
}

const onOrOff = (isOn: boolean) => (isOn ? 'on' : 'off');

/** A `Secret` converts itself to a marker; see `values/secret.ts`. */
const hidden = (secret: Config['secretKey']) => (secret === null ? '' : String(secret));
