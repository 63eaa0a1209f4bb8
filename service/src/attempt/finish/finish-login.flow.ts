import {
  asksForBirthDate,
  BIRTH_DATE,
  SUBJECT_BYTES,
  newSubject,
  wishIn,
} from '../../account/openid-client.ts';
import type { AttemptRecord, CompletionProof } from '../attempt.ts';
import { budgetDigests } from '../start/push-budget.ts';
import { scopeOf } from '../scenario.ts';
import type { Ms } from '../../values/time.ts';
import {
  completedBy,
  isComplete,
  isSignInEnded,
  type Person,
  type ReportedPerson,
} from '../../account/user.ts';
import type { AttemptWithUser, KeepForClient } from '../../store/ports/store.port.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Services } from '../services.flow.ts';
import { failAttempt } from './end-attempt.flow.ts';

export type LoginServices = Pick<
  Services,
  'store' | 'rules' | 'keys' | 'meter' | 'clients' | 'random'
>;

/**
 * The only place where an attempt becomes authenticated, wherever the identity came from. An attempt
 * of a person whose sign-ins an operator has ended since it began fails instead.
 * @returns null when the attempt was not authenticated
 */
export async function finishLogin(
  services: LoginServices,
  record: AttemptRecord,
  { birthDate, ...person }: ReportedPerson,
  completion: CompletionProof | null,
  at: Ms,
): Promise<AttemptWithUser | null> {
  const { store, rules, meter, keys } = services;
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
    keeps: birthDate === undefined ? null : await keptFor(services, record, birthDate, at),
  });
  if (authenticated !== null) meter.signIn('authenticated', authenticated.attempt);
  else await failEnded({ store, meter }, record, person, at);
  return authenticated;
}

/**
 * The day of birth, where the OpenID client of the attempt has asked for it by the request that the
 * attempt is for. No user has one, so it is kept apart until that client gets it, and else for nobody.
 */
async function keptFor(
  { store, clients, random }: Pick<LoginServices, 'store' | 'clients' | 'random'>,
  { attemptId, client, expiresAt }: AttemptRecord,
  birthDate: string,
  at: Ms,
): Promise<KeepForClient | null> {
  // Nobody signs in on the day of their birth, or before it.
  if (birthDate >= new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length)) return null;
  const scopes = clients.find(client)?.openid?.scopes ?? [];
  if (!scopes.includes('birthdate')) return null;
  const request = await store.openidOfAttempt(attemptId).catch(unlessRefused);
  if (request === null || !asksForBirthDate(scopes, wishIn(request.body))) return null;
  const body = JSON.stringify({ birthdate: birthDate });
  const record = { model: BIRTH_DATE, id: attemptId, body, expiresAt };
  return { record, subject: newSubject(random.bytes(SUBJECT_BYTES)) };
}

/** What the provider has approved is not lost with the day: it may be told only once. */
function unlessRefused(error: unknown): null {
  if (error instanceof Refusal) return null;
  throw error;
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
