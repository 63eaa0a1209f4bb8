import { InvalidRequest } from 'oidc-provider/lib/helpers/errors.js';
import type { Context, OidcAccount, OidcClient } from 'oidc-provider/lib/provider.js';
import { attemptAt, type Attempt, type AttemptRecord } from '../attempt/attempt.ts';
import { collectResult, type CollectServices } from '../attempt/read-attempt.flow.ts';
import type { Services } from '../attempt/services.flow.ts';
import { startPushInBrowser } from '../attempt/start/start-attempt.flow.ts';
import { WHO_IS_HINTED } from '../account/openid-client.ts';
import { parseNationalId, type NationalId } from '../account/user.ts';
import { Refusal } from '../errors/refusal.ts';
import { textMember } from '../request/body/text-member.ts';
import type { Ms } from '../values/time.ts';
import { INTERACTION, lockName } from './records.ts';
import { logUnsent } from './refused.ts';
import {
  isPhoneLauncher,
  linkedAttempt,
  startedBy,
  type SignInNeeds,
  type SignInRequest,
} from './sign-in.flow.ts';

const DIGITS = /^\p{Nd}+$/u;

/**
 * Whose phone an application asks for: a national id as `login_hint`. Any other hint is left out, as
 * OpenID Connect permits.
 * @param params of an interaction; its hint was admitted by `admitHint`
 */
export function personOf(params: unknown): NationalId | null {
  return parseNationalId(textMember(params, 'login_hint'));
}

/** Of somebody who has signed in before. @throws Refusal */
export async function numberOf(store: Services['store'], subject: string): Promise<NationalId> {
  const user = await store.findSubject(subject);
  if (user === null) throw new Refusal('provider.record_not_found');
  return user.nationalId;
}

/**
 * A number goes to somebody's phone only for a client that has shown who it is, and is sent by its
 * back end: an address with it would stay in histories and in the logs of proxies.
 * @throws InvalidRequest
 */
export function admitHint({ oidc }: Context, hint: unknown, client: OidcClient): void {
  if (typeof hint !== 'string') return;
  // As `personOf` reads it: people type spaces and hyphens, too.
  if (parseNationalId(hint) === null) {
    // CIBA has an error of its own for it.
    if (!DIGITS.test(hint) || oidc.route === 'backchannel_authentication') return;
    throw new InvalidRequest('login_hint is no national id: it has ten digits');
  }
  const isPushed =
    oidc.route === 'pushed_authorization_request' ||
    oidc.route === 'backchannel_authentication' ||
    oidc.entities['PushedAuthorizationRequest'] !== undefined;
  if (!isPushed || client.clientAuthMethod === 'none') {
    throw new InvalidRequest(
      'a national id as login_hint is taken from a pushed request of a confidential client alone',
    );
  }
}

/** In the place of somebody's number, and refused as that would be. */
const NUMBER_OF_NOBODY = '1000000000';

/** An address stays in histories and in the logs of proxies. */
export function withoutNumbers(form: string): string {
  const parameters = new URLSearchParams(form);
  for (const name of ['login_hint', 'logout_hint']) {
    const hints = parameters.getAll(name).join('');
    if (/(?:\p{Nd}\P{Nd}*){10}/u.test(hints)) parameters.set(name, NUMBER_OF_NOBODY);
  }
  return parameters.toString();
}

/** An account that stands for the person of a hint, while a request is taken. */
export function hintedAccount({ oidc }: Context, accountId: string): OidcAccount | null {
  if (oidc.route !== 'backchannel_authentication' || accountId !== WHO_IS_HINTED) return null;
  return { accountId, claims: () => ({ sub: accountId }) };
}

/** A push that was approved is not sent again: what the person has done would be for nothing. */
const GOOD: ReadonlySet<Attempt['state']> = new Set(['pending', 'authenticated']);

export interface PhoneRequest extends SignInRequest {
  readonly nationalId: NationalId;
  /** The secret that this browser gets as a cookie, and what it has already. */
  readonly browser: string;
  readonly cookieOf: (attemptId: string) => string | null;
  readonly log: Parameters<typeof logUnsent>[0];
}

/**
 * The push by which the person of an interaction signs in: the one of an earlier press, while it is
 * open or approved, else a new one. Presses at once send one push.
 * @throws Refusal `callback.browser_mismatch` for another browser, or as `startPush`
 */
export async function pushFor(
  services: SignInNeeds & Pick<Services, 'attemptLock'>,
  request: PhoneRequest,
  now: Ms,
): Promise<AttemptRecord> {
  const { store, attemptLock } = services;
  const { uid, client, locale, address, nationalId, browser, cookieOf, log } = request;
  return attemptLock.run(lockName(uid), async () => {
    const linked = await linkedAttempt(services, uid);
    const known = linked === null ? null : await store.findAttempt(linked);
    if (known !== null && GOOD.has(attemptAt(known.attempt, now).state)) {
      if (isPhoneLauncher(known.attempt, (id) => cookieOf(id) ?? browser)) return known.attempt;
      throw new Refusal('callback.browser_mismatch');
    }
    return startPushInBrowser(
      services,
      {
        ...startedBy(client),
        locale,
        returnAddress: services.openidReturn ?? null,
        endUser: { address },
        nationalId,
        browser,
        begunFor: { model: INTERACTION, id: uid, from: linked },
      },
      now,
    ).catch((error: unknown) => {
      logUnsent(log, client.id, error);
      throw error;
    });
  });
}

/** The push of an interaction as it is now, for the browser that has sent it. */
export async function pushOf(
  services: CollectServices & SignInNeeds,
  uid: string,
  cookieOf: (attemptId: string) => string | null,
  now: Ms,
): Promise<Attempt | null> {
  const linked = await linkedAttempt(services, uid);
  const found = linked === null ? null : await services.store.findAttempt(linked);
  if (found === null || !isPhoneLauncher(found.attempt, cookieOf)) return null;
  return attemptAt((await collectResult(services, found, now)).attempt, now);
}
