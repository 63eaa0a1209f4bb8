import { isPrivateUseAddress } from '../attempt/browser/return-address.ts';
import type { Values } from './names.ts';
import { nameInUse } from './source/secret-files.ts';
import { isLoopback, isSecure } from './values.ts';

interface Reach {
  readonly host: string;
  readonly publicUrl: string;
  readonly trustedProxies: readonly string[];
}

interface Chosen extends Reach {
  readonly provider: 'simulator' | 'live';
  readonly rateLimits: boolean;
  readonly simulator: { readonly isStrict: boolean } | null;
  readonly dashboardUrl: string;
}

/** Settings of a real provider: if the simulator is chosen as well, one of the two is a mistake. */
const LIVE_ONLY = ['PROVIDER_URL', 'PROVIDER_APP_ID', 'PROVIDER_APP_KEY'] as const;

/** Settings that make the simulator behave like live mode. */
const SIMULATOR_ONLY = ['STRICT', 'BUDGETS'] as const;

/** Whether only this machine can reach the service, and no proxy is trusted. */
export function isLocalOnly({ host, publicUrl, trustedProxies }: Reach): boolean {
  const local = isLoopback(host) && isLoopback(new URL(publicUrl).hostname);
  return local && trustedProxies.length === 0;
}

/**
 * The faults that keep a mode from starting.
 * @param isLan with `--lan`, whose address is always http: `lanFaults` says what that does not go with
 */
export function modeFaults(config: Chosen, values: Values, isLan: boolean): string[] {
  return config.provider === 'live'
    ? liveFaults(config, values)
    : simulatorFaults(config, values, isLan);
}

/**
 * The simulator lets everybody sign in as anybody, so others may reach it only if that was
 * confirmed.
 */
function simulatorFaults(config: Chosen, values: Values, isLan: boolean): string[] {
  const faults: string[] = [];
  if (!isLocalOnly(config) && values.PROVIDER === undefined) {
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
  if (config.simulator?.isStrict === true && !isLan && !isSecure(config.publicUrl)) {
    // Browsers discard the launch page's `__Host-` cookie on an insecure origin.
    faults.push('PUBLIC_URL must be https, or http on a loopback address, with STRICT=yes');
  }
  if (config.simulator?.isStrict === true && isPrivateUseAddress(config.dashboardUrl)) {
    faults.push('DASHBOARD_URL must be an http(s) address with STRICT=yes: its client has a key');
  }
  const live = LIVE_ONLY.map((name) => nameInUse(name, values)).filter(
    (name) => values[name] !== undefined,
  );
  if (live.length > 0) {
    faults.push(`${live.join(', ')} belong to a real provider, but PROVIDER is the simulator`);
  }
  return faults;
}

const PUBLIC_URL_LIVE =
  'PUBLIC_URL must be https with PROVIDER=live, or http on a loopback address to rehearse on one machine';

const PEOPLE_LIVE =
  'PEOPLE_FILE belongs to the simulator: in a rehearsal, set it for that program alone';

function liveFaults({ publicUrl, rateLimits }: Chosen, values: Values): string[] {
  const simulated = SIMULATOR_ONLY.filter((name) => values[name] !== undefined);
  return [
    ...(simulated.length === 0
      ? []
      : [`${simulated.join(', ')} belong to the simulator: live mode is always strict and counts`]),
    ...(values.PEOPLE_FILE === undefined ? [] : [PEOPLE_LIVE]),
    ...(isSecure(publicUrl) ? [] : [PUBLIC_URL_LIVE]),
    ...(rateLimits ? [] : ['RATE_LIMITS=off is refused with PROVIDER=live']),
  ];
}
