import { Refusal } from '../errors/refusal.ts';
import type { Ms } from '../values/time.ts';
import type { CallResult } from './call/call.ts';
import { textMember, type JsonObject } from './strict-json.ts';

export interface StartedPush {
  readonly transactionId: string;
  /** The number to match, exactly as the provider writes it: `07` is not `7`. */
  readonly bindingCode: string;
  readonly expiresAt: Ms;
}

/** The unsigned status of a push. It authenticates nobody. */
export type PushStatus = 'waiting' | 'completed' | 'rejected' | 'expired';

/** The body of the provider's callback before its token is verified. */
export interface ReceivedPush {
  readonly token: string;
  readonly transactionId: string;
  readonly requestId: string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const BINDING_CODE = /^\d{1,8}$/;

/** @throws Refusal `provider.bad_response` */
export function parseStartedPush(answer: JsonObject, expiresAt: Ms): StartedPush {
  const transactionId = textMember(answer, 'transId') ?? '';
  const bindingCode = textMember(answer, 'random') ?? '';
  if (!UUID.test(transactionId)) throw badPush('transId');
  if (!BINDING_CODE.test(bindingCode)) throw badPush('random');
  return { transactionId, bindingCode, expiresAt };
}

const STATUSES: ReadonlyMap<string, PushStatus> = new Map([
  ['WAITING', 'waiting'],
  ['COMPLETED', 'completed'],
  ['REJECTED', 'rejected'],
  ['EXPIRED', 'expired'],
]);

/**
 * The status of a push. The two error records that this operation treats as answers say that the
 * transaction expired or is unknown to the provider; both mean that it ended without a decision.
 * @throws Refusal `provider.bad_response`
 */
export function parsePushStatus(result: CallResult): PushStatus {
  if (result.kind === 'record') return 'expired';
  const status = STATUSES.get(textMember(result.value, 'status') ?? '');
  if (status === undefined) throw badPush('status');
  return status;
}

function badPush(what: string): Refusal {
  const reason = `push: ${what}`;
  return new Refusal('provider.bad_response', { reason, cause: new Error(reason) });
}
