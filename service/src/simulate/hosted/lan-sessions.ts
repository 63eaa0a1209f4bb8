import { Sessions } from '@miftah/simulator/app';
import { systemRandom } from '@miftah/simulator/platform';
import type { Runtime } from '../../program/mode.ts';

/**
 * The browsers that come in by a code, and what the banner says of the local network, with the codes
 * of two of them: nothing without `--lan`.
 */
export async function openSessions({ config: { lan, ...config }, clock }: Runtime) {
  const sessions = new Sessions(clock, systemRandom);
  if (lan === null) return { sessions, lanBanner: [] };
  const { lanLines } = await import('./lan-banner.ts');
  const open = (path: string) => `${config.publicUrl}${path}#code=${sessions.issueCode().code}`;
  const addresses = { console: open('/console'), phone: open('/simulator/phone') };
  return { sessions, lanBanner: lanLines({ lan, ...config }, addresses) };
}
