import { isIP } from 'node:net';
import type { Config } from '../../config/config.ts';
import { isLoopback } from '../../config/values.ts';
import { fault, ok, warning, type Finding } from './finding.ts';

const CHECK = 'proxies';
/** A network that is wider than these is more than somebody's proxies. */
const WIDEST_BITS = { 4: 8, 6: 16 } as const;

/** Whether TRUSTED_PROXIES fits the rest of the settings. */
export function examineProxies({
  publicUrl,
  trustedProxies,
  metricsPort,
  live,
}: Config): Finding[] {
  const { protocol, hostname } = new URL(publicUrl);
  const findings = trustedProxies.flatMap((network) => networkFindings(network));
  if (protocol === 'https:' && trustedProxies.length === 0) {
    findings.push(
      warning(
        CHECK,
        'PUBLIC_URL is https, so a proxy ends TLS, but TRUSTED_PROXIES names none: all people ' +
          'share the limits of the address of the proxy.',
        'Set TRUSTED_PROXIES to the address from which the proxy connects.',
      ),
    );
  }
  if (metricsPort === null && live !== null && !isLoopback(hostname)) {
    findings.push(
      warning(
        'metrics',
        'The numbers at /metrics are on the public port.',
        'Set METRICS_PORT, or have the proxy answer /metrics with 404.',
      ),
    );
  }
  return findings.length === 0 ? [ok(CHECK, 'The settings about proxies are sound.')] : findings;
}

function networkFindings(network: string): Finding[] {
  const [address = '', bits] = network.split('/');
  const length = bits === undefined ? Infinity : Number(bits);
  const widest = isIP(address) === 6 ? WIDEST_BITS[6] : WIDEST_BITS[4];
  if (length >= widest) return [];
  const what = `TRUSTED_PROXIES has ${network}: whoever is in there can invent any address for every request.`;
  return [fault(CHECK, what, 'Name the addresses of your proxies, or their own network.')];
}
