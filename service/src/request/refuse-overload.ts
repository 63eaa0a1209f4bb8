import type { IncomingMessage } from 'node:http';
import { Refusal } from '../errors/refusal.ts';
import { hookOf } from './checks.ts';
import { BASE_PATH, type HttpContext } from './context.ts';
import type { Urgency } from '../server/next-requests.ts';

const START = `${BASE_PATH}/start`;
const WATCHES = new Set(['/livez', '/readyz', '/metrics']);
const RETRY_AFTER_SECONDS = 1;

const late = new WeakSet<IncomingMessage>();

export function urgencyOf({ method, url = '' }: IncomingMessage): Urgency {
  if (method === 'POST') return pathOf(url) === START ? 'start' : 'usual';
  return WATCHES.has(pathOf(url)) ? 'watch' : 'usual';
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** The request has waited too long to be begun. */
export function markLate(request: IncomingMessage): void {
  late.add(request);
}

/**
 * Refuses a start while there is too much to do, before its body is read and before anything was
 * done for it. Rate limits come first, so that a client that is over its quota is told so, and does
 * not take what is admitted in any case.
 */
export function refuseOverload({ admission, clock }: HttpContext) {
  return hookOf(({ raw }) => {
    const limit = admission.limitOf(late.has(raw), clock.now());
    if (limit === null) return;
    throw new Refusal('server.overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS, limit });
  });
}
