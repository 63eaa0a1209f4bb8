import { SECOND_MS, type Ms } from '../values/time.ts';
import { Refusal } from '../errors/refusal.ts';
import type { Clock } from '../platform/runtime.port.ts';
import { createCallSender, type CallSender } from './call/call.ts';
import { createTransport } from './call/transport.ts';
import type { ProviderApiConfig, ProviderMode } from './provider-config.ts';
import { readSigningKeys } from './token/signing-keys.ts';

const CONNECT_MS = 3 * SECOND_MS;

export interface KeysFound {
  readonly mode: ProviderMode;
  /** How many keys of its document could verify tokens. */
  readonly keys: number;
}

export interface Probe {
  readonly keys: KeysFound | Refusal;
  /**
   * How far our clock is ahead of the provider's, to a second, also by an answer that is an error;
   * null when the answer tells no time, undefined when there was none.
   */
  readonly aheadMs: Ms | null | undefined;
}

/** Asks the provider for its signing keys, which names nobody, and compares its clock with ours. */
export async function probeProvider(config: ProviderApiConfig, clock: Clock): Promise<Probe> {
  const network = createTransport(config.url, CONNECT_MS);
  let aheadMs: Ms | null | undefined;
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
    const keys = await askForKeys(sender).catch((error: unknown) => {
      if (error instanceof Refusal) return error;
      throw error;
    });
    return { keys, aheadMs };
  } finally {
    await sender.close();
  }
}

/** @throws Refusal */
async function askForKeys(sender: CallSender): Promise<KeysFound> {
  const result = await sender.call({
    operation: 'keys',
    requestId: null,
    query: {},
    body: null,
    userAddress: null,
    anyMode: true,
  });
  const keys = result.kind === 'answer' ? await readSigningKeys(result.value) : null;
  const isSimulated = result.kind === 'answer' && result.simulated;
  return { mode: isSimulated ? 'rehearsal' : 'live', keys: keys?.length ?? 0 };
}

/** A Date header has whole seconds, so the time that it means is half a second later on average. */
function aheadOf(date: string | null, at: Ms): Ms | null {
  const said = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(said) ? null : at - said - SECOND_MS / 2;
}
