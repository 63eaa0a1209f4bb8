import {
  acceptsCompletion,
  attemptAt,
  type Attempt,
  type AttemptRecord,
} from '../attempt/attempt.ts';
import { browserDigest } from '../attempt/browser/browser-secret.ts';
import { failAttempt } from '../attempt/finish/end-attempt.flow.ts';
import { completionCodeDigest } from '../attempt/redeem/completion-code.ts';
import { clientInScope } from '../attempt/scenario.ts';
import type { Services } from '../attempt/services.flow.ts';
import { startRedirect } from '../attempt/start/start-attempt.flow.ts';
import type { Client } from '../account/client.ts';
import {
  asksForBirthDate,
  BIRTH_DATE,
  birthDateIn,
  SUBJECT_BYTES,
  newSubject,
  type OpenidWish,
} from '../account/openid-client.ts';
import type { User } from '../account/user.ts';
import { Refusal } from '../errors/refusal.ts';
import { textMember } from '../request/body/text-member.ts';
import type { FoundSignIn, UseAttempt } from '../store/ports/store.port.ts';
import type { AttemptId } from '../values/ids.ts';
import { parseLocale, type Locale } from '../values/locale.ts';
import { sameDigest } from '../values/secret.ts';
import { MINUTE_MS, type Ms } from '../values/time.ts';
import { amrOf } from './claims.ts';
import type { Use } from './held-changes.ts';
import type { Launching } from './launching.port.ts';
import { ended, GRANT, hasEnded, INTERACTION } from './records.ts';

export type SignInNeeds = Pick<
  Services,
  | 'clients'
  | 'store'
  | 'random'
  | 'startAtProvider'
  | 'heldSpoils'
  | 'meter'
  | 'openidReturn'
  | 'waiters'
>;

export interface SignInRequest {
  /** Of the library's interaction. */
  readonly uid: string;
  readonly client: Client;
  readonly locale: Locale;
  readonly address: string | null;
}

/** The attempt that an interaction had when it was read. */
interface Linked {
  readonly linked: AttemptId | null;
}

/** The first language of a request's `ui_locales` that there is. */
export function wishedLocale(params: unknown): Locale | null {
  const wishes = textMember(params, 'ui_locales').split(' ');
  return wishes.map(parseLocale).find((locale) => locale !== null) ?? null;
}

/**
 * The attempt by which the person of an interaction signs in: the one that an earlier press has
 * begun, while it is open, else a new one. Of several presses at once one makes the attempt for all.
 * @throws Refusal
 */
export async function attemptFor(
  services: SignInNeeds,
  request: SignInRequest & Linked,
  now: Ms,
): Promise<AttemptRecord> {
  const { store, openidReturn = null } = services;
  const { uid, linked } = request;
  const known = linked === null ? null : await store.findAttempt(linked);
  if (known !== null && attemptAt(known.attempt, now).state === 'pending') return known.attempt;
  const { client, locale, address } = request;
  const begunFor = { model: INTERACTION, id: uid, from: linked };
  const given = { locale, returnAddress: openidReturn, endUser: { address }, begunFor };
  try {
    return (await startRedirect(services, { ...startedBy(client), ...given }, now)).record;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'attempt.not_found') throw error;
    const other = await linkedAttempt(services, uid);
    if (other === linked) throw error;
    return attemptFor(services, { ...request, linked: other }, now);
  }
}

/** For whom an attempt is begun, and in which scope of a simulation. */
export function startedBy(client: Client) {
  const { id, scenario } = clientInScope(client.id);
  return { client: { ...client, id }, scenario };
}

/** @throws Refusal `attempt.not_found` when the interaction has ended */
export async function linkedAttempt({ store }: Pick<SignInNeeds, 'store'>, uid: string) {
  const interaction = await store.findOpenid({ model: INTERACTION, id: uid });
  if (interaction === null) throw new Refusal('attempt.not_found');
  return interaction.attemptId;
}

/** What an attempt has ended for. */
export interface EndRequest {
  /** Empty where the browser has brought an error, and for a push, which has none. */
  readonly completionCode: string;
  readonly wish: OpenidWish;
  /** Whose attempt it is, where it may be used up with what follows. */
  readonly known?: Pick<FoundSignIn, 'user' | 'subject'>;
}

export interface BroughtBack extends Linked, EndRequest {
  readonly attemptId: AttemptId;
  readonly cookieOf: (attemptId: string) => string | null;
}

export type SignInEnd =
  | {
      readonly user: User;
      readonly subject: string;
      /** The id of the grant that has begun with it, which a revocation ends from then on. */
      readonly grantId: string;
      /** Null where the request has not asked for it, or the national provider has not said it. */
      readonly birthDate: string | null;
      readonly at: Ms;
      readonly amr: ReturnType<typeof amrOf>;
      /** Has to be called with what the grant is given: the attempt is used up then. Null where it is. */
      readonly use: Use | null;
    }
  | { readonly error: 'access_denied' | 'unmet_authentication_requirements' };

/** What a client is told of an end without tokens. */
export const END_TEXTS = {
  access_denied: 'the person has refused, or can not sign in',
  unmet_authentication_requirements: 'the sign-in has too low a level of assurance',
} as const;

/** The id of a grant is a secret. */
const GRANT_BYTES = 32;

export const newGrantId = (random: Services['random']): string =>
  Buffer.from(random.bytes(GRANT_BYTES)).toString('base64url');

/** Longer than an interaction takes from the consumption of its attempt to the code. */
export const BEGUN_MS = 15 * MINUTE_MS;

/**
 * What the interaction ends with. The attempt's state decides, not what the browser says: it may only
 * say the completion code. Both cookies have to be there: that of the interaction, which the caller
 * has read, and that of the launch.
 * @throws Refusal for another browser, a wrong code and an attempt of another interaction
 */
export async function finishSignIn(
  services: SignInNeeds,
  launching: Launching,
  back: BroughtBack,
  now: Ms,
): Promise<SignInEnd> {
  const { attemptId, linked } = back;
  if (linked !== attemptId) throw new Refusal('attempt.not_found');
  const found = await services.store.findSignIn(attemptId);
  if (found === null) throw new Refusal('attempt.not_found');
  if (!(await isLauncher(launching, found.attempt, back.cookieOf))) {
    throw new Refusal('callback.browser_mismatch');
  }
  return endOf(services, attemptAt(found.attempt, now), { ...back, known: found }, now);
}

/**
 * @throws Refusal `attempt.not_found` for an attempt that is not over, or was used already
 */
export async function endOf(
  services: SignInNeeds,
  attempt: Attempt,
  request: EndRequest,
  at: Ms,
): Promise<SignInEnd> {
  switch (attempt.state) {
    case 'authenticated':
      return consume(services, attempt.record, request, at);
    case 'failed':
      return {
        error:
          attempt.reason === 'assurance.insufficient'
            ? 'unmet_authentication_requirements'
            : 'access_denied',
      };
    case 'rejected':
    case 'expired':
      return { error: 'access_denied' };
    case 'pending':
    case 'redeemed':
      throw new Refusal('attempt.not_found');
  }
}

type CookieOf = BroughtBack['cookieOf'];

async function isLauncher(launching: Launching, record: AttemptRecord, cookieOf: CookieOf) {
  return record.flow === 'mfa'
    ? isPhoneLauncher(record, cookieOf)
    : launching.isLauncher(record.attemptId, cookieOf);
}

/** Whether this is the browser in whose page the number of a push is shown. */
export function isPhoneLauncher(
  { attemptId, tokenDigest }: AttemptRecord,
  cookieOf: CookieOf,
): boolean {
  return sameDigest(tokenDigest, browserDigest(cookieOf(attemptId) ?? ''));
}

async function consume(
  services: SignInNeeds,
  record: AttemptRecord,
  { completionCode, wish, known }: EndRequest,
  at: Ms,
): Promise<SignInEnd> {
  const { store, random, heldSpoils } = services;
  const { attemptId } = record;
  // A push has no code: the number was matched.
  const completionDigest = record.flow === 'mfa' ? null : completionCodeDigest(completionCode);
  if (!acceptsCompletion(record, { completionDigest, at })) {
    await store.countWrongCode(attemptId, at);
    throw new Refusal('attempt.completion_required');
  }
  // It was spoiled while the store could not be written.
  if (heldSpoils.has(attemptId)) {
    await failAttempt(services, { attemptId, at, reason: 'callback.browser_mismatch' });
    throw new Refusal('callback.browser_mismatch');
  }
  // Kept when the person approved, if its client could have it then: asked for, whatever it may have now.
  const mayBeKept = asksForBirthDate(['birthdate'], wish);
  const ends = mayBeKept ? { model: BIRTH_DATE, id: attemptId } : null;
  const kept = ends === null ? null : await store.findOpenid(ends);
  const birthDate = kept === null ? null : birthDateIn(kept);
  const { user = null, subject = null } = known ?? {};
  const grantId = newGrantId(random);
  const begins = { model: GRANT, id: grantId, body: kept?.body ?? '{}', expiresAt: at + BEGUN_MS };
  const change = { attemptId, at, completionDigest, begins };
  const signedIn = { grantId, birthDate, at: record.authenticatedAt ?? at, amr: amrOf(record) };
  // At the first sign-in the store decides which `sub` is theirs; a day of birth is read from the grant.
  const waits = ends === null && user !== null && user.disabledAt === null && subject !== null;
  if (waits) return { user, subject, ...signedIn, use: () => useUp(services, record, change) };
  const named = { ...change, subject: newSubject(random.bytes(SUBJECT_BYTES)), ends };
  const consumed = await store.consumeAttempt(named);
  if (consumed === null) {
    if (await isUsed(services, change)) throw new Refusal('attempt.not_found');
    // The person was disabled, or their sign-ins were ended.
    return { error: 'access_denied' };
  }
  services.meter.signIn('redeemed', record);
  return { user: consumed.user, subject: consumed.subject, ...signedIn, use: null };
}

/** Another call of the same moment may have had it, and what that one ends with stands. */
async function isUsed({ store }: SignInNeeds, { attemptId, at }: UseAttempt) {
  const found = await store.findAttempt(attemptId);
  return found !== null && attemptAt(found.attempt, at).state === 'redeemed';
}

async function useUp(services: SignInNeeds, record: AttemptRecord, change: UseAttempt) {
  const isNow = await services.store.useAttempt(change);
  if (!isNow) return (await isUsed(services, change)) ? hasEnded : () => ended(GRANT);
  services.meter.signIn('redeemed', record);
  return null;
}
