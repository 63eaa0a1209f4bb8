import type { Secret } from '../values/secret.ts';
import { SECOND_MS, type Ms } from '../values/time.ts';
import type { ByFlow } from '../attempt/flow.ts';
import { BY_FLOW, byFlowFaults, readByFlow } from './by-flow.ts';
import type { Name, Read, Values } from './names.ts';
import { nameInUse } from './source/secret-files.ts';
import {
  parseAddress,
  parseChoice,
  parseCredential,
  parseDuration,
  parseLevel,
  parsePathPrefix,
  parseSecureOrigin,
  parseIssuer,
  parseText,
  parseWebAddress,
} from './values.ts';

/** The settings of live mode, in addition to the common ones. */
export interface LiveConfig {
  /** The operator states that the provider is a simulator: tokens and the store are then marked. */
  readonly isRehearsal: boolean;
  /** The provider's origin, without a path. */
  readonly url: string;
  /** The prefix of the paths of each flow; empty for none. */
  readonly pathPrefixes: ByFlow<string>;
  readonly appId: Secret;
  readonly appKey: Secret;
  /** Our own address, as the provider is told it; null for none. */
  readonly ownAddress: string | null;
  readonly service: string;
  /** The issuer of the tokens of each flow. */
  readonly issuers: ByFlow<string>;
  readonly audience: string;
  readonly authorizeOrigin: string;
  /**
   * Whether the provider knows our address for signed results; without it there is no phone flow.
   */
  readonly hasPushCallback: boolean;
  readonly pushLifetimeMs: Ms;
  readonly minimumAssurance: number;
  readonly clientsFile: string;
}

/** The mode of such a service, for its answers, tokens and store. */
export function modeOf({ isRehearsal }: LiveConfig): 'live' | 'rehearsal' {
  return isRehearsal ? 'rehearsal' : 'live';
}

/** Required settings: without them nobody could sign in, or everybody could. */
const REQUIRED = [
  'SECRET_KEY',
  'CLIENTS_FILE',
  'PROVIDER_URL',
  'PROVIDER_APP_ID',
  'PROVIDER_APP_KEY',
  'PROVIDER_AUDIENCE',
  'PROVIDER_AUTHORIZE_ORIGIN',
] as const satisfies readonly Name[];

const IN_LIVE_MODE = 'with PROVIDER=live';

const REPORTED_PUSH_LIFETIME_MS = 200 * SECOND_MS;

/**
 * The settings of live mode; null if a credential is missing or wrong. Every fault is added to
 * `faults`.
 */
export function readLive(values: Values, read: Read, faults: string[]): LiveConfig | null {
  const missing = REQUIRED.filter((name) => values[nameInUse(name, values)] === undefined);
  faults.push(
    ...missing.map((name) => `${name} is needed ${IN_LIVE_MODE}`),
    ...Object.values(BY_FLOW).flatMap((names) => byFlowFaults(names, values, IN_LIVE_MODE)),
  );
  const appId = read<Secret | null>('PROVIDER_APP_ID', null, parseCredential);
  const appKey = read<Secret | null>('PROVIDER_APP_KEY', null, parseCredential);
  const rest = {
    isRehearsal: values.ALLOW_SIMULATOR === 'yes',
    url: read('PROVIDER_URL', '', parseSecureOrigin),
    pathPrefixes: readByFlow(BY_FLOW.pathPrefixes, read, parsePathPrefix),
    ownAddress: read<string | null>('PROVIDER_OWN_ADDRESS', null, parseAddress),
    service: read('PROVIDER_SERVICE', 'Login', parseText),
    issuers: readByFlow(BY_FLOW.issuers, read, parseIssuer),
    audience: read('PROVIDER_AUDIENCE', '', parseAudience),
    authorizeOrigin: read('PROVIDER_AUTHORIZE_ORIGIN', '', parseSecureOrigin),
    hasPushCallback: read('PROVIDER_MFA_CALLBACK', false, parseRegistered),
    pushLifetimeMs: read('PROVIDER_PUSH_LIFETIME', REPORTED_PUSH_LIFETIME_MS, parseDuration),
    minimumAssurance: read('MINIMUM_ASSURANCE', 0, parseLevel),
    clientsFile: read('CLIENTS_FILE', '', String),
  };
  return appId === null || appKey === null ? null : { ...rest, appId, appKey };
}

/** Kept exactly as written, because tokens contain it so: `URL` would add a slash. */
function parseAudience(text: string): string {
  parseWebAddress(text);
  return parseText(text);
}

const parseRegistered = (text: string) => parseChoice(text, ['registered']) === 'registered';
