import type { ReceivedPush } from '../../../src/provider/push.ts';

/** The body of a simulator's callback, in the form that the service's route passes on. */
export function pushMessageOf(text: string): ReceivedPush {
  const { token, transId, requestId } = JSON.parse(text) as Record<string, string>;
  return { token: String(token), transactionId: String(transId), requestId: String(requestId) };
}
