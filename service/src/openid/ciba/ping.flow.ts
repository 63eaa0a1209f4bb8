import { AsyncLocalStorage } from 'node:async_hooks';
import { ExpiredToken } from 'oidc-provider/lib/helpers/errors.js';
import type { AttemptRecord } from '../../attempt/attempt.ts';
import { cancelPending } from '../../attempt/finish/cancel-attempt.flow.ts';
import type { AttemptStatus } from '../../attempt/read-attempt.flow.ts';
import { StatusWaiter } from '../../attempt/status/status-waiter.flow.ts';
import { isPending, waitForEnd } from '../../attempt/status/wait-for-end.flow.ts';
import { Refusal } from '../../errors/refusal.ts';
import { OutboundError, type Outbound } from '../../outbound/outbound.port.ts';
import type { HttpContext } from '../../request/context.ts';
import { MINUTE_MS, type Ms } from '../../values/time.ts';
import { logUntold, type logOf } from '../refused.ts';
import { attemptOf } from './poll.flow.ts';

export interface CibaParts extends HttpContext {
  readonly outbound: Outbound;
}

export const deliveryOf = ({ clients }: HttpContext['services'], clientId: string) =>
  clients.find(clientId)?.openid?.backchannelDelivery ?? null;

/** The library lets what runs in a request know it, and who waits for long would keep it. */
export const outside = AsyncLocalStorage.snapshot();

/** What a ping is sent by: without the request, which may be large. */
interface Pinged {
  readonly clientId: string;
  readonly requestId: string;
  readonly token: string;
  readonly limitMs: Ms;
  readonly record: AttemptRecord;
  readonly log: ReturnType<typeof logOf>;
}

/**
 * Tells a client that its request has an end, by this instance alone and once: who is not told may
 * poll. Each has a place among those who wait for an attempt, so there are no more of them.
 */
export async function pingAtEnd(context: CibaParts, pinged: Pinged): Promise<void> {
  const { services, timer, clock } = context;
  const { clientId, limitMs, record, log } = pinged;
  const { attemptId } = record;
  // A back end has one address for all people, so that is not counted.
  const wanted = { kind: 'ping', attemptId, client: record.client, address: attemptId } as const;
  const place = services.waiters.admit(wanted);
  try {
    if (!(place instanceof StatusWaiter)) throw new OutboundError('busy');
    const first: AttemptStatus = { attempt: { state: 'pending', record }, user: null };
    const read = () => statusOf(context, first, record);
    const last = await waitForEnd({ waiter: place, timer, first, read, limitMs });
    // The service stops.
    if (place.isOver) return;
    if (isPending(last)) await cancelPending(services, record, clock.now());
    await ping(context, pinged);
    place.end(isPending(last) ? 'time_passed' : 'attempt_ended');
  } catch (error) {
    if (place instanceof StatusWaiter) place.end('failed');
    logUntold(log, clientId, 'ping', error);
  }
}

async function statusOf(
  { services, clock }: CibaParts,
  known: AttemptStatus,
  record: AttemptRecord,
): Promise<AttemptStatus> {
  try {
    return { attempt: await attemptOf(services, record, clock.now()), user: null };
  } catch (error) {
    // It was erased with its person.
    if (error instanceof ExpiredToken) return { attempt: { state: 'expired', record }, user: null };
    // Of the store or of the provider: the next read may succeed.
    if (error instanceof Refusal) return known;
    throw error;
  }
}

/** So long a ping waits for others to end: later the client has polled. */
const TURN_MS = MINUTE_MS;

/** @throws OutboundError, or an error with the `response` that is not as section 10.2 has it */
async function ping({ services, outbound }: CibaParts, { clientId, requestId, token }: Pinged) {
  // As the clients file has it now.
  const endpoint = deliveryOf(services, clientId)?.notificationEndpoint ?? null;
  if (endpoint === null) return;
  const response = await outbound.fetch(endpoint, {
    method: 'POST',
    headers: [
      ['authorization', `Bearer ${token}`],
      ['content-type', 'application/json'],
    ],
    body: JSON.stringify({ auth_req_id: requestId }),
    turnMs: TURN_MS,
  });
  const { status } = response;
  if (status !== 200 && status !== 204) throw Object.assign(new Error('refused'), { response });
}
