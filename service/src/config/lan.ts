import { networkInterfaces } from 'node:os';
import type { Values } from './names.ts';
import { originOf } from './values.ts';

/** What `--lan` opens simulator mode to. */
export interface Lan {
  /** The address of this machine that other devices are told. */
  readonly address: string;
  /** Its other private addresses. */
  readonly others: readonly string[];
}

/**
 * The ranges of RFC 1918, in the order in which an address is chosen: those of homes and offices
 * before that in which containers usually have their networks.
 */
const PRIVATE_RANGES = [/^192\.168\./, /^10\./, /^172\.(?:1[6-9]|2\d|3[01])\./] as const;

const EVERY_ADDRESS = '0.0.0.0';

/** The IPv4 addresses at which other devices may reach this machine. */
export function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
}

/**
 * Chooses the address for `--lan`: the one that HOST names, or the first private one. What keeps it
 * from being chosen is added to `faults`. @returns null with a fault
 */
export function chooseLan(
  host: string | undefined,
  machine: readonly string[],
  faults: string[],
): Lan | null {
  const local = PRIVATE_RANGES.flatMap((range) => machine.filter((one) => range.test(one)));
  const isNamed = host !== undefined && host !== EVERY_ADDRESS;
  const address = isNamed ? machine.find((one) => one === host) : local[0];
  if (address !== undefined) return { address, others: local.filter((one) => one !== address) };
  const known = machine.length === 0 ? '' : ` It has ${machine.join(', ')}.`;
  faults.push(
    isNamed
      ? `--lan needs an address of this machine, and HOST is none that other devices reach.${known}`
      : '--lan found no private IPv4 address of this machine: connect it to a network, or name one ' +
          `of its addresses in HOST.${known}`,
  );
  return null;
}

/** What `--lan` sets where nothing else does: it names the simulator, and listens for others too. */
export const LAN_VALUES: Values = { HOST: EVERY_ADDRESS, PROVIDER: 'simulator' };

/** The settings that `--lan` does not go with. */
export function lanFaults(
  lan: Lan | null,
  { publicUrl, port }: { readonly publicUrl: string; readonly port: number },
  values: Values,
): string[] {
  const faults: string[] = [];
  if (values.PROVIDER === 'live') faults.push('--lan is for the simulator, and PROVIDER is live');
  if (values.NODE_ENV === 'production') {
    faults.push('--lan is for a machine of a developer, and NODE_ENV is production');
  }
  if (values.STRICT === 'yes') {
    faults.push('--lan is http, and STRICT=yes needs https: set HOST and PUBLIC_URL instead');
  }
  // Without an address there is none to compare with.
  const own = lan === null ? publicUrl : originOf(lan.address, port);
  if (publicUrl !== own) {
    faults.push(
      `--lan makes PUBLIC_URL ${own}: leave out PUBLIC_URL, or leave out --lan and set HOST, ` +
        'PUBLIC_URL and SIMULATOR_TOKEN',
    );
  }
  return faults;
}
