import type { Config } from '../../config/config.ts';
import { modeOf } from '../../config/live.ts';
import { Refusal } from '../../errors/refusal.ts';
import { fault, ok, warning, type Finding } from './finding.ts';
import { SECOND_MS, type Ms } from '../../values/time.ts';
import type { TlsFault } from '../../values/transport-fault.ts';
import { readAuthorities } from '../../platform/files/authorities-file.ts';
import type { Clock } from '../../platform/runtime.port.ts';
import { probeProvider, type KeysFound } from '../../provider/probe.ts';
import { remoteConfig } from '../../program/live-mode.ts';

const KEYS = 'provider.keys';
const CLOCK = 'clock';
/** A Date header and a slow network explain less than this. */
const EXPLAINED_MS = 5 * SECOND_MS;
/** Tokens are refused when the clocks differ by more. */
const TOLERATED_MS = 30 * SECOND_MS;

/** Whether the provider answers, with what, and at what time. No identity is sent. */
export async function examineProvider(
  { live, authoritiesFile }: Config,
  clock: Clock,
): Promise<Finding[]> {
  if (live === null) return [ok('provider', 'It is the simulator in the service itself.')];
  const phone = live.hasPushCallback
    ? []
    : [
        warning(
          'provider.phone',
          'PROVIDER_MFA_CALLBACK is not set, so starts by phone are refused.',
          'Register the address for results with the provider, then set it to "registered".',
        ),
      ];
  const { keys, aheadMs } = await probeProvider(remoteConfig(live), clock);
  const found =
    keys instanceof Refusal
      ? [noKeys(keys, live.url, authoritiesFile)]
      : judgeKeys(keys, modeOf(live), live.url);
  return [...found, ...(aheadMs === undefined ? [] : [judgeClock(aheadMs)]), ...phone];
}

function judgeKeys({ mode, keys }: KeysFound, wanted: KeysFound['mode'], url: string): Finding[] {
  if (mode !== wanted) {
    const what =
      mode === 'rehearsal'
        ? `The provider at ${url} is a simulator.`
        : `The provider at ${url} is no simulator, and ALLOW_SIMULATOR=yes rehearses with one.`;
    return [fault('provider.mode', what, 'Correct PROVIDER_URL or ALLOW_SIMULATOR.')];
  }
  if (keys === 0) {
    const what = `The provider at ${url} gives no signing key that can be used.`;
    return [fault(KEYS, what, 'Check PROVIDER_URL and PROVIDER_PATH_PREFIX with the provider.')];
  }
  return [ok(KEYS, `Signing keys of the provider at ${url}: ${keys}.`)];
}

export function judgeClock(aheadMs: Ms | null): Finding {
  if (aheadMs === null) {
    const what = 'The provider tells no time, so the clock was not compared.';
    return warning(CLOCK, what, 'Look after the clock synchronisation of this machine.');
  }
  const seconds = Math.round(Math.abs(aheadMs) / SECOND_MS);
  if (Math.abs(aheadMs) <= EXPLAINED_MS) return ok(CLOCK, "Its clock and the provider's agree.");
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  const what = `The clock of this machine is ${seconds} s ${where} the provider's.`;
  const remedy = 'Correct the clock; have it synchronised (NTP).';
  return Math.abs(aheadMs) > TOLERATED_MS
    ? fault(CLOCK, what, remedy)
    : warning(CLOCK, what, remedy);
}

const REMEDIES: Readonly<Record<string, string>> = {
  'provider.misconfigured':
    'Check PROVIDER_APP_ID and PROVIDER_APP_KEY, and whether the provider knows the address of ' +
    'this machine.',
  'provider.unavailable':
    'Check PROVIDER_URL, the name service, and what a firewall lets out of this machine; in a ' +
    'rehearsal, whether the simulator runs.',
  'provider.timeout': 'It accepts connections and does not answer: ask the provider.',
};

/** What is wrong with the secured connection, in words, and what to do about it. */
const TLS: Readonly<Record<TlsFault, readonly [what: string, remedy: string]>> = {
  certificate_expired: [
    'its certificate, or one above it in its chain, has expired',
    'If `authorities.file` says that some have ended, replace them in that file. Otherwise the ' +
      'provider has to renew it. If it is not over there, the clock of this machine is ahead: correct it.',
  ],
  certificate_not_yet_valid: [
    'its certificate is not valid yet',
    'The clock of this machine is probably behind: correct it; have it synchronised (NTP). If it ' +
      'is right, ask the provider.',
  ],
  certificate_wrong_name: [
    'its certificate is for another host name',
    'Correct the host name in PROVIDER_URL. If it is right, another server answers there: look at ' +
      'the name service and at proxies of your network, and ask the provider.',
  ],
  certificate_unknown_issuer: [
    'the issuer of its certificate is unknown here',
    'If it is a public authority, the provider has to send the whole chain.',
  ],
  certificate_invalid: [
    'its certificate is not valid, or was revoked',
    'Ask the provider for a valid certificate for servers.',
  ],
  tls_version: [
    'it offers no version of TLS that is safe',
    'The provider has to offer TLS 1.2 or 1.3.',
  ],
  tls_failed: [
    'the connection could not be secured',
    'Check host and port in PROVIDER_URL: what answers there does not speak TLS, or refuses it.',
  ],
};

/** What this command trusts, for an authority that it does not; null: `authorities.file` says it. */
export function trustedHere(authoritiesFile: string | null): string | null {
  if (authoritiesFile === null) {
    return 'This command was given no NODE_EXTRA_CA_CERTS in its environment';
  }
  try {
    readAuthorities(authoritiesFile);
    return (
      `This command was given NODE_EXTRA_CA_CERTS=${authoritiesFile} in its environment, and that ` +
      'file does not have the authority'
    );
  } catch {
    return null;
  }
}

export const SEE_AUTHORITIES = 'See the finding `authorities.file` first.';

/** The environment of the service may be another one than that of this command. */
function ownAuthorities(authoritiesFile: string | null, advice: string): string {
  const trusted = trustedHere(authoritiesFile);
  if (trusted === null) return SEE_AUTHORITIES;
  return (
    `${trusted}. If the authority is one of the provider, or a proxy of your network, it has to be ` +
    'in that PEM file, for the service and for its commands: under systemd by a line of ' +
    '/etc/miftah/environment, which the units and `miftah-admin` read; `miftah` itself reads the ' +
    'shell alone (`NODE_EXTRA_CA_CERTS=FILE miftah …`). After a change of the file reload the ' +
    `service, after one of its path restart it. ${advice}`
  );
}

function noKeys(
  { code, details: { reason, tlsFault } }: Refusal,
  url: string,
  authoritiesFile: string | null,
): Finding {
  const why = reason === undefined ? code : `${code}, ${reason}`;
  if (tlsFault !== undefined) {
    const [what, advice] = TLS[tlsFault];
    const isUnknown = tlsFault === 'certificate_unknown_issuer';
    const remedy = isUnknown ? ownAuthorities(authoritiesFile, advice) : advice;
    return fault(KEYS, `The provider at ${url} could not be trusted: ${what} (${why}).`, remedy);
  }
  const remedy = REMEDIES[code] ?? 'Check PROVIDER_URL and PROVIDER_PATH_PREFIX with the provider.';
  return fault(KEYS, `The provider at ${url} gave no signing keys: ${why}.`, remedy);
}
