import type { Secret } from '../values/secret.ts';
import type { ByFlow } from '../attempt/flow.ts';
import { BY_FLOW, byFlowFaults, readByFlow } from './by-flow.ts';
import { ConfigError } from './config-error.ts';
import { readEnvironment, readerOf, readSettingsFile } from './source/given.ts';
import type { Name, Values } from './names.ts';
import { nameInUse, withSecretFiles } from './source/secret-files.ts';
import { parseCredential, parsePathPrefix, parseSecureOrigin, parseText } from './values.ts';

/** What is needed to call a provider, and nothing that a service needs beside it. */
export interface ProviderAccess {
  /** An origin, https or on this machine. */
  readonly url: string;
  /** For the paths of each flow. Begins with a slash and does not end with one; empty for none. */
  readonly pathPrefixes: ByFlow<string>;
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
  /** For both flows. */
  readonly pathPrefix: string | undefined;
  /** A file of settings, beside the environment. */
  readonly config: string | undefined;
}

/** The simulator checks their values. */
const OF_SIMULATOR = ['PROFILE', 'PUSH_STATUS', 'SERVICES'];

const NEEDED = ['PROVIDER_APP_ID', 'PROVIDER_APP_KEY'] as const;

const TO_CALL = 'to call a provider';

/** @throws ConfigError with all faults */
export function readProviderAccess(
  { url, pathPrefix, config }: ProviderAccessFlags,
  environment: NodeJS.ProcessEnv,
): ProviderAccess {
  const faults: string[] = [];
  const file = config === undefined ? {} : readSettingsFile(config, faults);
  const written: Values = { ...file, ...readEnvironment(environment, faults), PROVIDER_URL: url };
  const values = withPrefix(withSecretFiles(written, faults), pathPrefix);
  const read = readerOf(values, faults);
  faults.push(
    ...NEEDED.filter((name) => values[nameInUse(name, values)] === undefined).map(needed),
    ...byFlowFaults(BY_FLOW.pathPrefixes, values, TO_CALL),
  );
  const appId = read<Secret | null>('PROVIDER_APP_ID', null, parseCredential);
  const appKey = read<Secret | null>('PROVIDER_APP_KEY', null, parseCredential);
  const rest = {
    url: read('PROVIDER_URL', '', parseSecureOrigin),
    pathPrefixes: readByFlow(BY_FLOW.pathPrefixes, read, parsePathPrefix),
    service: read('PROVIDER_SERVICE', 'Login', parseText),
    simulator: Object.fromEntries(OF_SIMULATOR.map((name) => [name, environment[name]])),
  };
  if (faults.length > 0 || appId === null || appKey === null) throw new ConfigError(faults);
  return { ...rest, appId, appKey };
}

/** The flag takes the place of all three settings. */
function withPrefix(values: Values, pathPrefix: string | undefined): Values {
  if (pathPrefix === undefined) return values;
  const { common, own } = BY_FLOW.pathPrefixes;
  const { [own.oidc]: _web, [own.mfa]: _push, ...rest } = values;
  return { ...rest, [common]: pathPrefix };
}

const needed = (name: Name) => `${name} is needed ${TO_CALL}`;
