import type { Config } from '../../config.ts';
import { modeOf } from '../../config/live.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import { fault, ok, warning, type Finding } from '../../domain/finding.ts';
import { SECOND_MS, type Ms } from '../../domain/time.ts';
import type { Clock } from '../../ports/runtime.ts';
import { probeProvider, type Probe } from '../../provider/probe.ts';
import { remoteConfig } from '../live-mode.ts';

const KEYS = 'provider.keys';
const CLOCK = 'clock';
/** A Date header and a slow network explain less than this. */
const EXPLAINED_MS = 5 * SECOND_MS;
/** Tokens are refused when the clocks differ by more. */
const TOLERATED_MS = 30 * SECOND_MS;

/** Whether the provider answers, with what, and at what time. No identity is sent. */
export async function examineProvider({ live }: Config, clock: Clock): Promise<Finding[]> {
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
  try {
    const probe = await probeProvider(remoteConfig(live), clock);
    return [...judgeProbe(probe, modeOf(live), live.url), judgeClock(probe.aheadMs), ...phone];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [unreachable(error, live.url), ...phone];
  }
}

function judgeProbe({ mode, keys }: Probe, wanted: Probe['mode'], url: string): Finding[] {
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
    'Check PROVIDER_APP_ID and PROVIDER_APP_KEY, whether the provider knows the address of this ' +
    'machine, and whether its certificate is trusted here.',
  'provider.unavailable':
    'Check PROVIDER_URL, the name service, and what a firewall lets out of this machine.',
  'provider.timeout': 'It accepts connections and does not answer: ask the provider.',
};

function unreachable({ code, details: { reason } }: Refusal, url: string): Finding {
  const why = reason === undefined ? code : `${code}, ${reason}`;
  const remedy = REMEDIES[code] ?? 'Check PROVIDER_URL and PROVIDER_PATH_PREFIX with the provider.';
  return fault(KEYS, `The provider at ${url} gave no signing keys: ${why}.`, remedy);
}
