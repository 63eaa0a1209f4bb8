import { parseDatabaseUrl, type DatabaseAddress } from '../../store/postgres/connection-url.ts';
import type { Secret } from '../../values/secret.ts';
import type { Config } from '../config.ts';
import { ConfigError } from '../config-error.ts';
import type { LiveConfig } from '../live.ts';
import type { Name } from '../names.ts';
import { parseCredential, parseList, parseSecretKey, parseToken } from '../values.ts';
import { placeOfSecret, readSecretFile, type SecretFile } from './secret-files.ts';

type FromFiles = Pick<Config, 'secretFiles'>;
type ReadAtStart = Pick<Config, 'secretFiles' | 'simulatorToken' | 'operator'>;

/**
 * The id and the key of the provider as their files have them now. What is in no file stays.
 * @throws ConfigError with every fault
 */
export function rereadProviderKeys(
  config: Config,
  { appId, appKey }: Pick<LiveConfig, 'appId' | 'appKey'>,
) {
  const faults: string[] = [];
  const keys = {
    appId: reread(config, 'PROVIDER_APP_ID', parseCredential, faults) ?? appId,
    appKey: reread(config, 'PROVIDER_APP_KEY', parseCredential, faults) ?? appKey,
  };
  const others = secretsOf(config, PROVIDER_KEYS);
  // The provider would be sent it.
  const isMistaken =
    keys.appId.reveal() === keys.appKey.reveal() ||
    Object.values(keys).some((key) => others.has(comparable(key)));
  if (isMistaken) {
    faults.push('PROVIDER_APP_ID or PROVIDER_APP_KEY has the secret of another setting');
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return keys;
}

export const hasKeyFile = (config: FromFiles): boolean =>
  [fileOf(config, 'SECRET_KEY'), fileOf(config, 'RETIRED_SECRET_KEYS')].some(Boolean);

/** The beginning of what is said of these keys. */
export function placeOfRetired(config: FromFiles): string {
  const file = fileOf(config, 'RETIRED_SECRET_KEYS');
  return file === undefined ? 'RETIRED_SECRET_KEYS' : placeOfSecret(file);
}

/** Null for what is in no file. */
interface KeysNow {
  readonly current: Secret | null;
  readonly retired: readonly Secret[] | null;
}

/**
 * The keys of the service as their files have them now, by the rules of a start.
 * @throws ConfigError with every fault
 */
export function rereadServerKeys(config: Config): KeysNow {
  const faults: string[] = [];
  const keys = keysNow(config, faults);
  const current = keys.current ?? config.secretKey;
  const own = [current, ...(keys.retired ?? config.retiredKeys)].flatMap((key) =>
    key === null ? [] : [comparable(key)],
  );
  if (new Set(own).size < own.length) {
    faults.push('SECRET_KEY and RETIRED_SECRET_KEYS have a key twice');
  }
  const others = secretsOf(config, SERVER_KEYS);
  if (own.some((key) => others.has(key))) {
    faults.push('SECRET_KEY or RETIRED_SECRET_KEYS has the secret of another setting');
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return keys;
}

const PROVIDER_KEYS = ['PROVIDER_APP_ID', 'PROVIDER_APP_KEY'] as const;
const SERVER_KEYS = ['SECRET_KEY', 'RETIRED_SECRET_KEYS'] as const;

/**
 * The secrets of all settings but these, to be compared: those of the files now, and those of the
 * start that are used until the next one.
 */
function secretsOf(config: Config, own: readonly Name[]): ReadonlySet<string> {
  const { secretKey, retiredKeys, live } = config;
  const { current, retired } = keysNow(config, []);
  const appKey = (name: Name) => reread(config, name, parseCredential, []);
  const secrets: readonly (readonly [Name, readonly (Secret | null | undefined)[]])[] = [
    ['SECRET_KEY', [secretKey, current]],
    ['RETIRED_SECRET_KEYS', [...retiredKeys, ...(retired ?? [])]],
    ['PROVIDER_APP_ID', [appKey('PROVIDER_APP_ID') ?? live?.appId]],
    ['PROVIDER_APP_KEY', [appKey('PROVIDER_APP_KEY') ?? live?.appKey]],
    ...readAtStart(config).map(
      ({ setting, parse, used }) => [setting, [used, reread(config, setting, parse, [])]] as const,
    ),
  ];
  const others = secrets.flatMap(([setting, all]) => (own.includes(setting) ? [] : all));
  return new Set(others.flatMap((secret) => (secret ? [comparable(secret)] : [])));
}

const readAtStart = ({ simulatorToken, operator }: ReadAtStart) =>
  [
    { setting: 'SIMULATOR_TOKEN', parse: parseToken, used: simulatorToken },
    {
      setting: 'OPERATOR_CLIENT_SECRET',
      parse: parseCredential,
      used: operator?.people?.clientSecret ?? null,
    },
  ] as const;

function keysNow(config: FromFiles, faults: string[]): KeysNow {
  return {
    current: reread(config, 'SECRET_KEY', parseSecretKey, faults),
    retired: reread(config, 'RETIRED_SECRET_KEYS', parseKeys, faults),
  };
}

/** Whether DATABASE_URL is in a file, so that another password of it is found. */
export const hasDatabaseFile = (config: FromFiles): boolean =>
  fileOf(config, 'DATABASE_URL') !== undefined;

/** Whether its file is a copy that changes at a start alone. */
export const isCredential = (config: FromFiles, secret: Name): boolean =>
  fileOf(config, secret)?.isCredential === true;

/**
 * The password in the file of DATABASE_URL as it is now. Whatever else has changed there would be
 * another database or another way to it, which only a start looks at.
 * @throws ConfigError
 */
export function rereadPassword(config: FromFiles, address: DatabaseAddress): Secret | null {
  const faults: string[] = [];
  const next = reread(config, 'DATABASE_URL', parseDatabaseUrl, faults);
  if (next !== null && placeOf(next) !== placeOf(address)) {
    const file = fileOf(config, 'DATABASE_URL');
    const reason =
      'only the password can change while the service runs: restart it for everything else';
    if (file !== undefined) faults.push(`${placeOfSecret(file)}: ${reason}`);
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return next === null ? address.password : next.password;
}

/** Keys of the service are hexadecimal. */
const comparable = (secret: Secret) => secret.reveal().toLowerCase();

const placeOf = (address: DatabaseAddress) => JSON.stringify({ ...address, password: null });

/** For the log: the secrets that have changed in their files, and that a start alone reads. */
export function secretsForNextStart(config: ReadAtStart): readonly string[] {
  return readAtStart(config).flatMap(({ setting, parse, used }) => {
    const file = fileOf(config, setting);
    // A secret that is not used is none that changes.
    if (file === undefined || used === null) return [];
    const faults: string[] = [];
    const next = reread(config, setting, parse, faults);
    if (next === null) return faults;
    if (next.reveal() === used.reveal()) return [];
    return [`${placeOfSecret(file)} has changed: it is read at the next start`];
  });
}

const parseKeys = (text: string) => parseList(text, parseSecretKey);

const fileOf = ({ secretFiles }: FromFiles, secret: Name): SecretFile | undefined =>
  secretFiles.find((file) => file.secret === secret);

/** Null for a secret that is in no file, and for a fault, which has nothing of the content. */
function reread<Value>(
  config: FromFiles,
  secret: Name,
  parse: (text: string) => Value,
  faults: string[],
): Value | null {
  const file = fileOf(config, secret);
  if (file === undefined) return null;
  const read = readSecretFile(file.path);
  try {
    if ('text' in read) return parse(read.text);
    faults.push(`${placeOfSecret(file)} ${read.fault}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    faults.push(`${placeOfSecret(file)}: ${secret} ${reason}`);
  }
  return null;
}
