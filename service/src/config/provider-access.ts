import type { Secret } from '../domain/secret.ts';
import { ConfigError } from './config-error.ts';
import { readEnvironment, readerOf, readSettingsFile } from './given.ts';
import type { Name, Values } from './names.ts';
import { nameInUse, withSecretFiles } from './secret-files.ts';
import { parseCredential, parsePathPrefix, parseSecureOrigin, parseText } from './values.ts';

/** What is needed to call a provider, and nothing that a service needs beside it. */
export interface ProviderAccess {
  /** An origin, https or on this machine. */
  readonly url: string;
  /** Begins with a slash and does not end with one; empty for none. */
  readonly pathPrefix: string;
  readonly appId: Secret;
  readonly appKey: Secret;
  /** The registered service name, of pushes. */
  readonly service: string;
  /** Settings of the simulator by itself that change what it answers, as they are written. */
  readonly simulator: Readonly<Record<string, string | undefined>>;
}

/** In place of settings of the same names. */
export interface ProviderAccessFlags {
  readonly url: string;
  readonly pathPrefix: string | undefined;
  /** A file of settings, beside the environment. */
  readonly config: string | undefined;
}

/** The simulator checks their values. */
const OF_SIMULATOR = ['PROFILE', 'PUSH_STATUS', 'SERVICES'];

const NEEDED = ['PROVIDER_PATH_PREFIX', 'PROVIDER_APP_ID', 'PROVIDER_APP_KEY'] as const;

/** @throws ConfigError with all faults */
export function readProviderAccess(
  { url, pathPrefix, config }: ProviderAccessFlags,
  environment: NodeJS.ProcessEnv,
): ProviderAccess {
  const faults: string[] = [];
  const file = config === undefined ? {} : readSettingsFile(config, faults);
  const flags: Values = {
    PROVIDER_URL: url,
    ...(pathPrefix === undefined ? {} : { PROVIDER_PATH_PREFIX: pathPrefix }),
  };
  const written: Values = { ...file, ...readEnvironment(environment, faults), ...flags };
  const values = withSecretFiles(written, faults);
  const read = readerOf(values, faults);
  faults.push(
    ...NEEDED.filter((name) => values[nameInUse(name, values)] === undefined).map(needed),
  );
  const appId = read<Secret | null>('PROVIDER_APP_ID', null, parseCredential);
  const appKey = read<Secret | null>('PROVIDER_APP_KEY', null, parseCredential);
  const rest = {
    url: read('PROVIDER_URL', '', parseSecureOrigin),
    pathPrefix: read('PROVIDER_PATH_PREFIX', '', parsePathPrefix),
    service: read('PROVIDER_SERVICE', 'Login', parseText),
    simulator: Object.fromEntries(OF_SIMULATOR.map((name) => [name, environment[name]])),
  };
  if (faults.length > 0 || appId === null || appKey === null) throw new ConfigError(faults);
  return { ...rest, appId, appKey };
}

const needed = (name: Name) => `${name} is needed to call a provider`;
