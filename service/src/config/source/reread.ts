import { parseDatabaseUrl, type DatabaseAddress } from '../../store/postgres/connection-url.ts';
import type { Secret } from '../../values/secret.ts';
import type { Config } from '../config.ts';
import { ConfigError } from '../config-error.ts';
import type { LiveConfig } from '../live.ts';
import type { Name } from '../names.ts';
import { parseCredential, parseList, parseSecretKey, parseToken } from '../values.ts';
import { placeOfSecret, readSecretFile, type SecretFile } from './secret-files.ts';

type FromFiles = Pick<Config, 'secretFiles'>;
type Secrets = Pick<Config, 'secretFiles' | 'secretKey' | 'retiredKeys' | 'simulatorToken'>;
type Token = Pick<Config, 'secretFiles' | 'simulatorToken'>;

/**
 * The id and the key of the provider as their files have them now. What is in no file stays.
 * @throws ConfigError with every fault
 */
export function rereadProviderKeys(
  config: Secrets,
  { appId, appKey }: Pick<LiveConfig, 'appId' | 'appKey'>,
) {
  const faults: string[] = [];
  const keys = {
    appId: reread(config, 'PROVIDER_APP_ID', parseCredential, faults) ?? appId,
    appKey: reread(config, 'PROVIDER_APP_KEY', parseCredential, faults) ?? appKey,
  };
  const { secretKey, retiredKeys, simulatorToken } = config;
  const now = keysNow(config, []);
  const known = [secretKey, ...retiredKeys, now.current, ...(now.retired ?? []), simulatorToken];
  const own = new Set(known.map(comparable));
  // The provider would be sent it.
  const isMistaken =
    keys.appId.reveal() === keys.appKey.reveal() ||
    Object.values(keys).some((key) => own.has(comparable(key)));
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
  const own = [current, ...(keys.retired ?? config.retiredKeys)].map(comparable);
  if (new Set(own).size < own.length) {
    faults.push('SECRET_KEY and RETIRED_SECRET_KEYS have a key twice');
  }
  const { simulatorToken, live, operator } = config;
  const others = [
    reread(config, 'PROVIDER_APP_ID', parseCredential, []) ?? live?.appId,
    reread(config, 'PROVIDER_APP_KEY', parseCredential, []) ?? live?.appKey,
    reread(config, 'SIMULATOR_TOKEN', parseToken, []) ?? simulatorToken,
    operator?.people?.clientSecret,
  ];
  if (
    others.some((other) => other !== null && other !== undefined && own.includes(comparable(other)))
  ) {
    faults.push('SECRET_KEY or RETIRED_SECRET_KEYS has the secret of another setting');
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return keys;
}

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
const comparable = (secret: Secret | null) => secret?.reveal().toLowerCase();

const placeOf = (address: DatabaseAddress) => JSON.stringify({ ...address, password: null });

/** For the log: that the token of the simulator has changed in its file, which a start alone reads. */
export function secretsForNextStart(config: Token): readonly string[] {
  const file = fileOf(config, 'SIMULATOR_TOKEN');
  const faults: string[] = [];
  const next = reread(config, 'SIMULATOR_TOKEN', parseToken, faults);
  if (file === undefined || next === null) return faults;
  if (next.reveal() === config.simulatorToken?.reveal()) return [];
  return [`${placeOfSecret(file)} has changed: it is read at the next start`];
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
