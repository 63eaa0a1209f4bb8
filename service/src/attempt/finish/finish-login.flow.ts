import type { AttemptRecord, CompletionProof } from '../attempt.ts';
import { budgetDigests } from '../start/push-budget.ts';
import { scopeOf } from '../scenario.ts';
import type { Ms } from '../../values/time.ts';
import { completedBy, isComplete, isSignInEnded, type Person } from '../../account/user.ts';
import type { AttemptWithUser } from '../../store/ports/store.port.ts';
import type { Services } from '../services.flow.ts';
import { failAttempt } from './end-attempt.flow.ts';

export type LoginServices = Pick<Services, 'store' | 'rules' | 'keys' | 'meter'>;

/**
 * The only place where an attempt becomes authenticated, wherever the identity came from. An attempt
 * of a person whose sign-ins an operator has ended since it began fails instead.
 * @returns null when the attempt was not authenticated
 */
export async function finishLogin(
  { store, rules, meter, keys }: LoginServices,
  record: AttemptRecord,
  person: Person,
  completion: CompletionProof | null,
  at: Ms,
): Promise<AttemptWithUser | null> {
  const { attemptId, flow, locale, scenario } = record;
  const stored = isComplete(person) ? null : await store.findPerson(person);
  const authenticated = await store.authenticateAttempt({
    attemptId,
    flow,
    at,
    person: stored === null ? person : completedBy(person, stored),
    preferredLocale: locale,
    completion,
    // A successful sign-in shows that the person is present, so their push budget starts again.
    pushesOf: rules.hasPushBudgets
      ? budgetDigests(keys, person.nationalId, scopeOf({ scenario }))
      : [],
  });
  if (authenticated !== null) meter.signIn('authenticated', authenticated.attempt);
  else await failEnded({ store, meter }, record, person, at);
  return authenticated;
}

/** The store has refused the login; this finds out whether an operator has ended it. */
async function failEnded(
  services: Pick<Services, 'store' | 'meter'>,
  record: AttemptRecord,
  person: Person,
  at: Ms,
): Promise<void> {
  const user = await services.store.findPerson(person);
  if (user === null || !isSignInEnded(user, record)) return;
  await failAttempt(services, { attemptId: record.attemptId, at, reason: 'attempt.failed' });
}
