import { Sessions } from '@miftah/simulator/app';
import { systemClock, systemRandom } from '@miftah/simulator/platform';
import type { Config } from '../config.ts';

/**
 * The browsers that come in by a code, and what the banner says of the local network, with the codes
 * of two of them: nothing without `--lan`. Who may come in does not depend on the simulation's time.
 */
export async function openSessions({ lan, ...config }: Config) {
  const sessions = new Sessions(systemClock, systemRandom);
  if (lan === null) return { sessions, lanBanner: [] };
  const { lanLines } = await import('../lan-banner.ts');
  const open = (path: string) => `${config.publicUrl}${path}#code=${sessions.issueCode().code}`;
  const addresses = { console: open('/console'), phone: open('/simulator/phone') };
  return { sessions, lanBanner: lanLines({ lan, ...config }, addresses) };
}
