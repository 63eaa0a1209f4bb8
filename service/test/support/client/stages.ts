import type { ClientOptions, Miftah } from '@miftah/client';
import { ATTEMPT_LIFETIME_MS } from '../../../src/attempt/attempt.ts';
import { share } from '../at-end.ts';
import { BANK_KEY, PUSH_MS as REHEARSED_PUSH_MS, rehearseApart } from '../live/rehearsal.ts';
import { startService } from '../programs/service-process.ts';
import { clientOf, MODES } from './client-for-test.ts';

type Origin = { readonly origin: string };

/** A service in one mode, and where its people decide. */
export interface Stage {
  readonly service: Origin;
  readonly provider: Origin;
  readonly key: string;
  readonly clientId: string;
  /** How long a push can be answered. */
  readonly pushMs: number;
  /** Whether its provider, which is in the same process, forgets who signs in at a restart. */
  readonly forgets: boolean;
  /** Ends the service without warning, and starts it again on the same data and port. */
  restart(): Promise<void>;
}

/** As the simulator has it for the service `Login`. */
const PUSH_MS = 60_000;

const OWN = { key: 'mfk_test_simulator', clientId: 'simulator' };

/** The modes in which each promise of the client has to hold, and what opens them. */
export const STAGES: readonly (readonly [name: string, open: () => () => Stage])[] = [
  ...MODES.map(([name, settings]) => [name, () => shareOwn(settings)] as const),
  ['a rehearsal of live mode', shareRehearsed],
];

function shareOwn(settings: Readonly<Record<string, string>>): () => Stage {
  return share(async (atEnd) => {
    let service = await startService({ settings });
    atEnd(async () => void (await service.kill()));
    const { origin, port, dataDir } = service;
    const restart = async () => {
      await service.kill();
      service = await startService({ settings, port, dataDir });
    };
    const isStrict = 'STRICT' in settings;
    const pushMs = isStrict ? PUSH_MS : ATTEMPT_LIFETIME_MS;
    const origins = { service: { origin }, provider: { origin } };
    return { ...OWN, ...origins, pushMs, forgets: isStrict, restart };
  });
}

function shareRehearsed(): () => Stage {
  return share(async (atEnd) => {
    const rehearsal = await rehearseApart();
    atEnd(async () => rehearsal[Symbol.asyncDispose]());
    const { service, simulator } = rehearsal;
    let current = service;
    const restart = async () => {
      await current.kill();
      current = await rehearsal.spawnAgain();
      await current.ready();
    };
    const opened = { service: { origin: service.origin }, provider: { origin: simulator.origin } };
    const mode = { pushMs: REHEARSED_PUSH_MS, forgets: false };
    return { ...opened, key: BANK_KEY, clientId: 'bank', ...mode, restart };
  });
}

/** A client of the service, or of the proxy in front of it. */
export function clientOn(
  { service, key }: Stage,
  proxy: Origin = service,
  options: Partial<ClientOptions> = {},
): Miftah {
  return clientOf(proxy, { clientKey: key, ...options });
}
