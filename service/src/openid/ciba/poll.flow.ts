import {
  grantType,
  handler,
  parameters as parametersOfPoll,
} from 'oidc-provider/lib/actions/grants/ciba.js';
import {
  AccessDenied,
  AuthorizationPending,
  ExpiredToken,
  SlowDown,
} from 'oidc-provider/lib/helpers/errors.js';
import * as helpers from 'oidc-provider/lib/helpers/grants.js';
import type { BackchannelRequest, Context, Provider } from 'oidc-provider/lib/provider.js';
import { attemptAt, type Attempt } from '../../attempt/attempt.ts';
import { cancelPending } from '../../attempt/finish/cancel-attempt.flow.ts';
import { collectResult } from '../../attempt/read-attempt.flow.ts';
import { Refusal } from '../../errors/refusal.ts';
import { textMember } from '../../request/body/text-member.ts';
import { noteStanding, secondsLeft } from '../../request/caller/caller.ts';
import type { HttpContext } from '../../request/context.ts';
import { RATE_POLICIES, RATE_WINDOW_MS } from '../../values/limits.ts';
import type { AttemptId } from '../../values/ids.ts';
import { SECOND_MS, type Ms } from '../../values/time.ts';
import { acrOf, newGrant, missesWishes, wantedAcr } from '../claims.ts';
import { DISCOVERY_PATH } from '../error-page.ts';
import { makeLeft } from '../held-changes.ts';
import { BACKCHANNEL_REQUEST, KNOWN_MS, lockName, orUnavailable, payloadOf } from '../records.ts';
import { endOf, END_TEXTS } from '../sign-in.flow.ts';

/** In seconds, between two polls: so that whoever keeps to it is never refused. */
export const INTERVAL = RATE_WINDOW_MS / SECOND_MS / RATE_POLICIES.cibaPoll.quota;

/** The library says that a client may have people type a code, whatever the settings are. */
const WITHOUT_USER_CODE = { backchannel_user_code_parameter_supported: false };

async function discover(asked: Context, next: () => Promise<void>): Promise<void> {
  await next();
  asked.body = Object.assign({}, asked.body, WITHOUT_USER_CODE);
}

/** The library's own takes the tokens back at a second poll; whoever repeats it has the secret. */
const consumeGrantSource = (_asked: Context, request: BackchannelRequest) => request.consume();

/** Adds the grant to the token endpoint: the library's own, after a look at the person's decision. */
export function addCiba(provider: Provider, context: HttpContext): void {
  provider.use((asked, next) => (asked.path === DISCOVERY_PATH ? discover(asked, next) : next()));
  const bound = Object.fromEntries(
    Object.entries(helpers).map(([name, helper]) => [name, helper.bind(undefined, provider)]),
  );
  const own = { ...bound, consumeGrantSource };
  const grant = (asked: Context) => handler(provider, own, asked);
  provider.registerGrantType(
    grantType,
    async (asked) => {
      const id = textMember(asked.oidc.params, 'auth_req_id');
      const kept = await orUnavailable(keptRequest(provider, context, id));
      // The library refuses what is missing, unknown, or of another client.
      if (kept === null || kept.request.clientId !== asked.oidc.client?.clientId) {
        return grant(asked);
      }
      await admitPoll(context, asked, id);
      // Nearly every poll is too early, and an answer that changes nothing needs no lock.
      if (await orUnavailable(isTooEarly(context, kept))) throw new AuthorizationPending();
      // Of several at once one gets the tokens, and does not lose them by the next one.
      await orUnavailable(
        context.services.attemptLock.run(lockName(id), async () => {
          const again = await keptRequest(provider, context, id);
          if (isOpen(again)) await settle(provider, context, again);
          // Here, and not at the end of the request alone: what is left is written under the lock too.
          await makeLeft(context.services.store, asked, grant(asked));
        }),
      );
    },
    parametersOfPoll,
  );
}

/** @throws SlowDown */
async function admitPoll(
  { limiter, clock, services }: HttpContext,
  asked: Context,
  id: string,
): Promise<void> {
  if (limiter === null) return;
  const policy = RATE_POLICIES.cibaPoll;
  const counted = await orUnavailable(limiter.consume(policy, id, clock.now()));
  noteStanding(asked.res, counted);
  if (counted.allowed) return;
  services.meter.limitHit(policy.name);
  const seconds = secondsLeft(counted, clock.now());
  asked.set('retry-after', String(seconds));
  throw new SlowDown(`ask again in ${seconds} seconds, and then once in ${INTERVAL}`);
}

interface KeptRequest {
  readonly request: BackchannelRequest;
  /** Null where the attempt is no more. */
  readonly attemptId: AttemptId | null;
  /** By the clock that a simulation moves on; the library knows that of the machine. */
  readonly endsAt: Ms;
}

async function keptRequest(
  provider: Provider,
  { services: { store }, clock }: HttpContext,
  id: string,
): Promise<KeptRequest | null> {
  const found = await store.findOpenid({ model: BACKCHANNEL_REQUEST, id });
  const payload = payloadOf(found, clock);
  if (found === null || payload === undefined) return null;
  const request = new provider.BackchannelAuthenticationRequest(payload);
  const endsAt = (found.expiresAt ?? Infinity) - KNOWN_MS;
  return { request, attemptId: found.attemptId, endsAt: request.isExpired ? 0 : endsAt };
}

/** Whether the end of a request is not in its record yet. */
function isOpen(kept: KeptRequest | null): kept is KeptRequest {
  return kept !== null && kept.request.grantId === undefined;
}

/** @throws ExpiredToken */
async function isTooEarly({ services, clock }: HttpContext, kept: KeptRequest): Promise<boolean> {
  if (!isOpen(kept)) return false;
  return (await attemptOf(services, kept, clock.now())).state === 'pending';
}

/**
 * Gives a request what the person has decided; a pending one stays as it is. An end without tokens is
 * kept in the attempt, so every later poll hears the same of it.
 * @throws ExpiredToken, AccessDenied
 */
async function settle(
  provider: Provider,
  { services, clock, settings }: HttpContext,
  kept: KeptRequest,
): Promise<void> {
  const { request } = kept;
  const now = clock.now();
  const attempt = await attemptOf(services, kept, now);
  if (attempt.state === 'pending') return;
  if (attempt.state === 'expired') throw new ExpiredToken('the person has not answered');
  const end = await orDenied(endOf(services, attempt, { completionCode: '', wish: request }, now));
  if ('error' in end) throw new AccessDenied(END_TEXTS[end.error]);
  const { user, subject, grantId, birthDate, at, amr } = end;
  const { claims, scopes, clientId } = request;
  const acr = acrOf(settings.publicUrl, user.assuranceLevel, wantedAcr(claims));
  if (missesWishes(claims, { sub: subject, acr })) {
    throw new AccessDenied('the sign-in does not have the requested acr or sub');
  }
  const named = { grantId, clientId, accountId: subject, birthDate, requested: scopes, claims };
  const grant = newGrant(provider, services.clients, named);
  const authTime = Math.floor(at / SECOND_MS);
  // Not by `backchannelResult` of the library: where the client was removed that throws a plain Error.
  Object.assign(request, { grantId: grant.jti, accountId: subject, acr, amr, authTime });
  // Of a person who was stopped meanwhile the grant's error is the one for the client.
  await grant.save();
  await request.save();
}

/** The attempt by which the person decides. @throws ExpiredToken where there is none any more */
export async function attemptOf(
  services: HttpContext['services'],
  { attemptId, endsAt = Infinity }: Pick<KeptRequest, 'attemptId'> & Partial<KeptRequest>,
  now: Ms,
): Promise<Attempt> {
  const found = attemptId === null ? null : await services.store.findAttempt(attemptId);
  if (found === null) throw new ExpiredToken('the request has ended');
  if (endsAt <= now) {
    // Nobody is to approve what its client does not wait for any more.
    if (found.attempt.rejectedAt === null) await cancelPending(services, found.attempt, now);
    throw new ExpiredToken('the person has not answered');
  }
  return attemptAt((await collectResult(services, found, now)).attempt, now);
}

/** One that was consumed, and whose tokens were never written, is denied: it has to begin anew. */
async function orDenied<End>(end: Promise<End>): Promise<End> {
  try {
    return await end;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'attempt.not_found') throw error;
    throw new AccessDenied('the sign-in could not be finished: begin anew');
  }
}
