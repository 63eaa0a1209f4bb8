import type { ReceivedPush } from '../../../src/provider/push.ts';

/** The body of a callback of the simulator, as the route of the service hands it on. */
export function pushMessageOf(text: string): ReceivedPush {
  const { token, transId, requestId } = JSON.parse(text) as Record<string, string>;
  return { token: String(token), transactionId: String(transId), requestId: String(requestId) };
}
