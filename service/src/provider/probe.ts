import { SECOND_MS, type Ms } from '../domain/time.ts';
import type { Clock } from '../ports/runtime.ts';
import { createCallSender } from './call/call.ts';
import { createTransport } from './call/transport.ts';
import type { ProviderApiConfig, ProviderMode } from './provider-config.ts';
import { readSigningKeys } from './token/signing-keys.ts';

const CONNECT_MS = 3 * SECOND_MS;

export interface Probe {
  readonly mode: ProviderMode;
  /** How many keys of its document could verify tokens. */
  readonly keys: number;
  /** How far our clock is ahead of the provider's, to a second; null when it tells no time. */
  readonly aheadMs: Ms | null;
}

/**
 * Asks the provider for its signing keys, which names nobody, and compares its clock with ours.
 * @throws Refusal
 */
export async function probeProvider(config: ProviderApiConfig, clock: Clock): Promise<Probe> {
  const network = createTransport(config.url, CONNECT_MS);
  let aheadMs: Ms | null = null;
  const sender = createCallSender(config, {
    clock,
    record: () => undefined,
    transport: {
      async send(request, deadline) {
        const sentAt = clock.now();
        const reply = await network.send(request, deadline);
        aheadMs = aheadOf(reply.date, (sentAt + clock.now()) / 2);
        return reply;
      },
      close: () => network.close(),
    },
  });
  try {
    const of = {
      requestId: null,
      query: {},
      body: null,
      userAddress: null,
      anyMode: true,
    } as const;
    const result = await sender.call({ operation: 'keys', ...of });
    const keys = result.kind === 'answer' ? await readSigningKeys(result.value) : null;
    const isSimulated = result.kind === 'answer' && result.simulated;
    return { mode: isSimulated ? 'rehearsal' : 'live', keys: keys?.length ?? 0, aheadMs };
  } finally {
    await sender.close();
  }
}

/** A Date header has whole seconds, so the time that it means is half a second later on average. */
function aheadOf(date: string | null, at: Ms): Ms | null {
  const said = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(said) ? null : at - said - SECOND_MS / 2;
}
