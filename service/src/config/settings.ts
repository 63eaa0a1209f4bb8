export const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export interface Setting {
  /** Parentheses at its end have the default, where that is no fixed text. */
  readonly help: string;
  /** As an operator would write it, where it is the same in every mode and with all other settings. */
  readonly default?: string;
  /** What its flag means where no value follows it; without this a value is needed. */
  readonly alone?: string;
  /**
   * For secrets: where to set it. They have no flag, because every user of a machine can read
   * flags. Each has a setting of its name with `_FILE` beside it, which names a file.
   */
  readonly secret?: string;
}

/**
 * All settings. Those that are not secrets are also flags: `PUBLIC_URL` is `--public-url`.
 * docs/configuration.md explains them.
 */
export const SETTINGS = {
  HOST: { help: 'address to listen on', default: '127.0.0.1' },
  PORT: { help: 'port to listen on', default: '3000' },
  PUBLIC_URL: { help: 'origin under which clients reach the service (http://HOST:PORT)' },
  ALLOWED_HOSTS: { help: 'further host names that requests may carry, comma separated' },
  DATA_DIR: { help: 'folder of the database and the secret key', default: './data' },
  DATABASE_URL: {
    help: 'postgres://... of a database that several instances share',
    secret: 'DATABASE_URL in the environment, or DATABASE_URL_FILE',
  },
  DATABASE_URL_FILE: { help: 'file that holds DATABASE_URL' },
  NEW_STORE: { help: 'no: a store that was never used refuses the start', default: 'yes' },
  SECRET_KEY: {
    help: '32 bytes in hex',
    secret: 'SECRET_KEY in the environment, or SECRET_KEY_FILE',
  },
  SECRET_KEY_FILE: { help: 'file that holds SECRET_KEY' },
  RETIRED_SECRET_KEYS: {
    help: 'other keys: what SECRET_KEY was before, or will be, comma separated',
    secret: 'RETIRED_SECRET_KEYS in the environment, or RETIRED_SECRET_KEYS_FILE',
  },
  RETIRED_SECRET_KEYS_FILE: { help: 'file that holds RETIRED_SECRET_KEYS' },
  PROVIDER: { help: 'identity provider: simulator or live', default: 'simulator' },
  PROVIDER_URL: { help: 'origin of the provider: scheme and host' },
  PROVIDER_PATH_PREFIX: { help: 'what stands before its paths, such as /stg; / for nothing' },
  PROVIDER_PUSH_PATH_PREFIX: { help: 'the same, for pushes and signing keys alone' },
  PROVIDER_WEB_PATH_PREFIX: { help: 'the same, for sign-ins by browser alone' },
  PROVIDER_APP_ID: {
    help: 'our application id there',
    secret: 'PROVIDER_APP_ID in the environment, or PROVIDER_APP_ID_FILE',
  },
  PROVIDER_APP_ID_FILE: { help: 'file that holds PROVIDER_APP_ID' },
  PROVIDER_APP_KEY: {
    help: 'the key that goes with the application id',
    secret: 'PROVIDER_APP_KEY in the environment, or PROVIDER_APP_KEY_FILE',
  },
  PROVIDER_APP_KEY_FILE: { help: 'file that holds PROVIDER_APP_KEY' },
  PROVIDER_OWN_ADDRESS: { help: 'our IP address as it is registered there' },
  PROVIDER_SERVICE: { help: 'registered service name, of pushes', default: 'Login' },
  PROVIDER_ISSUER: { help: 'issuer of its tokens, character by character' },
  PROVIDER_PUSH_ISSUER: { help: 'the same, for the tokens of pushes alone' },
  PROVIDER_WEB_ISSUER: { help: 'the same, for the tokens of sign-ins by browser alone' },
  PROVIDER_AUDIENCE: { help: 'our URL as it is registered there: the audience of its tokens' },
  PROVIDER_AUTHORIZE_ORIGIN: { help: 'origin of the page where people sign in' },
  PROVIDER_MFA_CALLBACK: { help: 'registered: it knows our address for results of pushes' },
  PROVIDER_PUSH_LIFETIME: { help: 'how long a push can be answered', default: '200s' },
  MINIMUM_ASSURANCE: { help: 'lowest level of assurance that may sign in', default: '0' },
  STRICT: { help: 'yes: the simulator asks all that live mode asks', default: 'no', alone: 'yes' },
  BUDGETS: {
    help: 'on: the simulator counts pushes as live mode does',
    default: 'off',
    alone: 'on',
  },
  TIME_LINES: { help: 'on: the simulator keeps the requests about each attempt', default: 'on' },
  PEOPLE_FILE: { help: 'the people of the simulator, JSON (the test people)' },
  CLIENTS_FILE: { help: 'the applications that may use the service, JSON' },
  DASHBOARD_URL: { help: 'where the browser goes after sign-in (PUBLIC_URL/dashboard)' },
  RATE_LIMITS: { help: 'on or off', default: 'on' },
  DRAIN_TIME: {
    help: 'how long a stop by SIGTERM still accepts connections, 0s to 5m',
    default: '2s',
  },
  TRUSTED_PROXIES: { help: 'addresses or CIDRs whose X-Forwarded-For is believed' },
  CORS_ORIGINS: { help: 'origins of browser applications; the simulator adds loopback ones' },
  OPENID: { help: 'on or off: an OpenID Provider beside the attempt API', default: 'off' },
  OUTBOUND_ALLOW: {
    help: 'private addresses or CIDRs that addresses of OpenID clients may lead to',
  },
  DOCS: { help: 'on or off: the API reader at /docs; live mode has it off (on)' },
  WAITERS_MAX: { help: 'most event streams and long polls at a time', default: '4000' },
  WAITERS_PER_CLIENT: { help: 'most of them for attempts of one client (3/4 of them)' },
  WAITERS_PER_ADDRESS: { help: 'most of them from one address (3/4 of them)' },
  TOKEN_LIFETIME: { help: 'of API tokens: 30d, 12h, 45m', default: '30d' },
  RETENTION: { help: 'how long ended attempts are kept, 2m or more', default: '1d' },
  RETENTION_MAX_ATTEMPTS: { help: 'most attempts kept; ended ones are removed (no limit)' },
  RETENTION_CALLS: { help: 'how long recorded calls to the provider are kept (RETENTION)' },
  RETENTION_MAX_CALLS: { help: 'most recorded calls to the provider kept (no limit)' },
  RETENTION_AUDIT: { help: 'how long rows of the audit log are kept, 30d or more (for ever)' },
  AUDIT_HEAD_FILE: { help: 'where the end of the audit log is kept outside the store' },
  AUDIT_CURSOR_FILE: { help: 'file of `miftah audit --follow --cursor` whose progress is watched' },
  METRICS_PORT: { help: 'port of a listener of its own for /metrics, which PORT then lacks' },
  METRICS_HOST: { help: 'address of that listener', default: '127.0.0.1' },
  OPERATOR_PORT: { help: 'port of a listener of its own for the pages for operators, or off' },
  OPERATOR_HOST: { help: 'address of that listener (127.0.0.1)' },
  OPERATOR_URL: {
    help: 'origin under which operators reach it (http://OPERATOR_HOST:OPERATOR_PORT)',
  },
  OPERATOR_ALLOWED_HOSTS: {
    help: 'further host names that its requests may carry, comma separated',
  },
  OPERATOR_ISSUER: { help: 'OpenID provider that signs operators in' },
  OPERATOR_CLIENT_ID: { help: 'our client id there' },
  OPERATOR_CLIENT_SECRET: {
    help: 'the secret that goes with it',
    secret: 'OPERATOR_CLIENT_SECRET in the environment, or OPERATOR_CLIENT_SECRET_FILE',
  },
  OPERATOR_CLIENT_SECRET_FILE: { help: 'file that holds OPERATOR_CLIENT_SECRET' },
  OPERATOR_ROLES_FILE: { help: 'JSON file that says who of them has which role' },
  OTEL_EXPORTER_OTLP_ENDPOINT: { help: 'collector that gets traces by OTLP over HTTP' },
  TRACES_RATIO: { help: 'share of the traces that are sent, 0 to 1 (1)' },
  LOG_LEVEL: { help: LOG_LEVELS.join(', '), default: 'info' },
  SIMULATOR_TOKEN: {
    help: 'asked of callers of /simulator/*',
    secret: 'SIMULATOR_TOKEN in the environment, or SIMULATOR_TOKEN_FILE',
  },
  SIMULATOR_TOKEN_FILE: { help: 'file that holds SIMULATOR_TOKEN' },
  ALLOW_SIMULATOR: {
    help: 'yes: run the simulator in production, or rehearse live mode against one',
    alone: 'yes',
  },
  NODE_ENV: { help: 'production refuses the simulator' },
} as const satisfies Record<string, Setting>;

/** What the flag of a setting means without a value; undefined where it needs one. */
export const aloneOf = (name: string): string | undefined =>
  (SETTINGS as Record<string, Setting>)[name]?.alone;

/** The default of a setting; undefined where it has none, or one that depends on others. */
export const defaultOf = (name: string): string | undefined =>
  (SETTINGS as Record<string, Setting>)[name]?.default;
