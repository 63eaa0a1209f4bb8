import { parseAttemptId, type AttemptId } from '../../values/ids.ts';
import { attemptAt, type Attempt } from '../attempt.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Ms } from '../../values/time.ts';
import {
  isSameBrowser,
  renew,
  returnWithError,
  type BrowserReturn,
  type Returned,
  type ReturnNeeds,
} from './finish-return.flow.ts';
import { requireReturnTarget } from './return-target.flow.ts';
import type { ReturnedAttempt } from './spoil.flow.ts';

/** A press of the launch page's button, or a look at the page, after the sign-in has come back. */
export interface LaterVisit extends Pick<BrowserReturn, 'cookieOf' | 'admit'> {
  readonly attemptId: string;
}

/**
 * The attempt, for the browser that has launched it and that has come back from the provider, or
 * whose sign-in has ended. Changes nothing.
 * @returns null for every other browser, and for an attempt that can still be launched
 */
export async function launchedAttempt(
  services: Pick<ReturnNeeds, 'store'>,
  visit: Pick<LaterVisit, 'attemptId' | 'cookieOf'>,
  now: Ms,
): Promise<Attempt | null> {
  const found = await findOwn(services, visit);
  const attempt = found === null ? null : attemptAt(found.record, now);
  return attempt?.state === 'pending' ? null : attempt;
}

/**
 * The launching browser presses the button again, because it went back or because a page on its way
 * was lost. It is led to the application as by another return from the provider: the cookie is the
 * proof there too, and the provider's state was exchanged before.
 * @throws Refusal `attempt.not_found` or `rate_limited`
 */
export async function returnAgain(
  services: ReturnNeeds,
  visit: LaterVisit,
  now: Ms,
): Promise<Returned> {
  const first = await requireOwn(services, visit);
  const { attemptId } = first.record;
  await visit.admit(attemptId);
  requireReturnTarget(services, first.record);
  // As a return of the browser does, it takes turns with other work on the attempt.
  return services.attemptLock.run(attemptId, async () => {
    const found = await requireOwn(services, visit);
    const { state } = attemptAt(found.record, now);
    return state === 'authenticated' ? renew(services, found, now) : returnWithError(found, now);
  });
}

/** @throws Refusal */
async function requireOwn(services: ReturnNeeds, visit: LaterVisit): Promise<ReturnedAttempt> {
  const found = await findOwn(services, visit);
  if (found === null) throw new Refusal('attempt.not_found');
  return found;
}

async function findOwn(
  { store }: Pick<ReturnNeeds, 'store'>,
  visit: Pick<LaterVisit, 'attemptId' | 'cookieOf'>,
): Promise<ReturnedAttempt | null> {
  const id: AttemptId | null = parseAttemptId(visit.attemptId);
  const known = id === null ? null : await store.findTransaction(id);
  if (known?.transaction.kind !== 'redirect') return null;
  const found = { record: known.attempt, transaction: known.transaction };
  return isSameBrowser(found, visit) ? found : null;
}
