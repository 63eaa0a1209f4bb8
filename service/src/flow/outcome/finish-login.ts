import type { AttemptRecord, CompletionProof } from '../../domain/attempt.ts';
import { budgetDigests } from '../../domain/push-budget.ts';
import { scopeOf } from '../../domain/scenario.ts';
import type { Ms } from '../../domain/time.ts';
import { completedBy, isNamed, type Person } from '../../domain/user.ts';
import type { AttemptWithUser } from '../../ports/store/index.ts';
import type { Services } from '../services.ts';

export type LoginServices = Pick<Services, 'store' | 'rules' | 'serverKey' | 'otherKeys' | 'meter'>;

/** The only place where an attempt becomes authenticated, wherever the identity came from. */
export async function finishLogin(
  { store, rules, meter, ...keys }: LoginServices,
  { attemptId, flow, locale, scenario }: AttemptRecord,
  person: Person,
  completion: CompletionProof | null,
  at: Ms,
): Promise<AttemptWithUser | null> {
  const stored = isNamed(person) ? null : await store.findPerson(person);
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
  return authenticated;
}
