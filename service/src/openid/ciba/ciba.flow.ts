import { AsyncLocalStorage } from 'node:async_hooks';
import {
  grantType,
  handler,
  parameters as parametersOfPoll,
} from 'oidc-provider/lib/actions/grants/ciba.js';
import {
  AccessDenied,
  AuthorizationPending,
  ExpiredToken,
  InvalidBindingMessage,
  InvalidRequest,
  SlowDown,
  TemporarilyUnavailable,
  UnknownUserId,
} from 'oidc-provider/lib/helpers/errors.js';
import * as helpers from 'oidc-provider/lib/helpers/grants.js';
import type {
  BackchannelRequest,
  Context,
  OidcAccount,
  Provider,
} from 'oidc-provider/lib/provider.js';
import { BACKCHANNEL_DELIVERIES, WHO_IS_HINTED } from '../../account/openid-client.ts';
import { attemptAt, expiryOf, type Attempt, type AttemptRecord } from '../../attempt/attempt.ts';
import { cancelPending } from '../../attempt/finish/cancel-attempt.flow.ts';
import { collectResult, type AttemptStatus } from '../../attempt/read-attempt.flow.ts';
import { scopeOf } from '../../attempt/scenario.ts';
import { startPush } from '../../attempt/start/start-attempt.flow.ts';
import { StatusWaiter } from '../../attempt/status/status-waiter.flow.ts';
import { isPending, waitForEnd } from '../../attempt/status/wait-for-end.flow.ts';
import { Refusal } from '../../errors/refusal.ts';
import { requireSoundClock } from '../../operate/readiness.flow.ts';
import { textMember } from '../../request/body/text-member.ts';
import { OutboundError, type Outbound } from '../../outbound/outbound.port.ts';
import { forgetStanding, noteStanding, secondsLeft } from '../../request/caller/caller.ts';
import type { HttpContext } from '../../request/context.ts';
import { exchangeOf } from '../../request/record/record-exchanges.ts';
import type { BegunFor } from '../../store/ports/store.port.ts';
import { RATE_POLICIES, RATE_WINDOW_MS } from '../../values/limits.ts';
import { DEFAULT_LOCALE } from '../../values/locale.ts';
import type { AttemptId } from '../../values/ids.ts';
import { MINUTE_MS, SECOND_MS, secondsUntil, type Ms } from '../../values/time.ts';
import { acrOf, newGrant, missesWishes, wantedAcr } from '../claims.ts';
import { DISCOVERY_PATH } from '../error-page.ts';
import { makeLeft, takeHeld } from '../held-changes.ts';
import { numberOf, personOf } from '../phone.flow.ts';
import { BACKCHANNEL_REQUEST, KNOWN_MS, lockName, orUnavailable, payloadOf } from '../records.ts';
import { logOf, logUnsent, logUntold } from '../refused.ts';
import { endOf, END_TEXTS, startedBy, wishedLocale } from '../sign-in.flow.ts';

/** In seconds, between two polls: so that whoever keeps to it is never refused. */
const INTERVAL = RATE_WINDOW_MS / SECOND_MS / RATE_POLICIES.cibaPoll.quota;

interface CibaParts extends HttpContext {
  readonly outbound: Outbound;
}

/**
 * A push without a browser (Client-Initiated Backchannel Authentication, CIBA Core 1.0). This is its
 * start; `addCiba` answers the polls.
 */
export function cibaFeature(context: CibaParts) {
  return {
    enabled: true,
    deliveryModes: BACKCHANNEL_DELIVERIES,
    processLoginHint(asked: Context) {
      if (personOf(asked.oidc.params) !== null) return WHO_IS_HINTED;
      throw new UnknownUserId('login_hint must be a national id: ten digits');
    },
    processLoginHintToken() {
      throw new InvalidRequest('login_hint_token is not taken: send login_hint or id_token_hint');
    },
    validateBindingMessage(_asked: Context, message: string | undefined) {
      if (message === undefined) return;
      throw new InvalidBindingMessage(
        'the provider makes the number: show the binding_message of the answer',
      );
    },
    // Nobody reads it.
    validateRequestContext: () => undefined,
    verifyUserCode(_asked: Context, _account: OidcAccount, code: string | undefined) {
      if (code !== undefined) throw new InvalidRequest('user_code is not taken');
    },
    triggerAuthenticationDevice: (
      asked: Context,
      request: BackchannelRequest,
      account: OidcAccount,
    ) => sendPush(context, asked, request, account),
  };
}

/** The push, and the answer to its client, with the number that the person has to choose. */
async function sendPush(
  context: CibaParts,
  asked: Context,
  request: BackchannelRequest,
  { accountId }: OidcAccount,
): Promise<void> {
  const { services, clock } = context;
  const now = clock.now();
  // What the library has saved before this is written with the attempt.
  const wanted = { accountId, now, begunFor: takeHeld() };
  const record = await orOauthError(asked, () => begin(context, asked, wanted));
  const { attemptId } = record;
  context.recorder?.begin({ attemptId, scope: scopeOf(record), address: null });
  exchangeOf(asked.req)?.isOf(attemptId);
  if (deliveryOf(services, request.clientId)?.mode === 'ping') {
    const pinged = {
      clientId: request.clientId,
      requestId: request.jti,
      token: textMember(request.params, 'client_notification_token'),
      limitMs: request.expiration * SECOND_MS,
      record,
      log: logOf(asked),
    };
    // Before its answer the client knows nothing of the request.
    asked.res.once('finish', () => void outside(pingAtEnd, context, pinged));
  }
  asked.body = {
    auth_req_id: request.jti,
    expires_in: Math.min(request.expiration, secondsUntil(expiryOf(record), now)),
    interval: INTERVAL,
    binding_message: record.bindingCode,
  };
}

const deliveryOf = ({ clients }: HttpContext['services'], clientId: string) =>
  clients.find(clientId)?.openid?.backchannelDelivery ?? null;

/** The library lets what runs in a request know it, and who waits for long would keep it. */
const outside = AsyncLocalStorage.snapshot();

/** What a ping is sent by: without the request, which may be large. */
interface Pinged {
  readonly clientId: string;
  readonly requestId: string;
  readonly token: string;
  readonly limitMs: Ms;
  readonly record: AttemptRecord;
  readonly log: ReturnType<typeof logOf>;
}

/**
 * Tells a client that its request has an end, by this instance alone and once: who is not told may
 * poll. Each has a place among those who wait for an attempt, so there are no more of them.
 */
async function pingAtEnd(context: CibaParts, pinged: Pinged): Promise<void> {
  const { services, timer, clock } = context;
  const { clientId, limitMs, record, log } = pinged;
  const { attemptId } = record;
  // A back end has one address for all people, so that is not counted.
  const wanted = { kind: 'ping', attemptId, client: record.client, address: attemptId } as const;
  const place = services.waiters.admit(wanted);
  try {
    if (!(place instanceof StatusWaiter)) throw new OutboundError('busy');
    const first: AttemptStatus = { attempt: { state: 'pending', record }, user: null };
    const read = () => statusOf(context, first, record);
    const last = await waitForEnd({ waiter: place, timer, first, read, limitMs });
    // The service stops.
    if (place.isOver) return;
    if (isPending(last)) await cancelPending(services, record, clock.now());
    await ping(context, pinged);
    place.end(isPending(last) ? 'time_passed' : 'attempt_ended');
  } catch (error) {
    if (place instanceof StatusWaiter) place.end('failed');
    logUntold(log, clientId, 'ping', error);
  }
}

async function statusOf(
  { services, clock }: CibaParts,
  known: AttemptStatus,
  record: AttemptRecord,
): Promise<AttemptStatus> {
  try {
    return { attempt: await attemptOf(services, record, clock.now()), user: null };
  } catch (error) {
    // It was erased with its person.
    if (error instanceof ExpiredToken) return { attempt: { state: 'expired', record }, user: null };
    // Of the store or of the provider: the next read may succeed.
    if (error instanceof Refusal) return known;
    throw error;
  }
}

/** So long a ping waits for others to end: later the client has polled. */
const TURN_MS = MINUTE_MS;

/** @throws OutboundError, or an error with the `response` that is not as section 10.2 has it */
async function ping({ services, outbound }: CibaParts, { clientId, requestId, token }: Pinged) {
  // As the clients file has it now.
  const endpoint = deliveryOf(services, clientId)?.notificationEndpoint ?? null;
  if (endpoint === null) return;
  const response = await outbound.fetch(endpoint, {
    method: 'POST',
    headers: [
      ['authorization', `Bearer ${token}`],
      ['content-type', 'application/json'],
    ],
    body: JSON.stringify({ auth_req_id: requestId }),
    turnMs: TURN_MS,
  });
  const { status } = response;
  if (status !== 200 && status !== 204) throw Object.assign(new Error('refused'), { response });
}

async function begin(
  { services, timekeeper }: HttpContext,
  { oidc: { client: asking, params } }: Context,
  { accountId, now, begunFor }: { accountId: string; now: Ms; begunFor: BegunFor },
) {
  if (services.rules.needsSoundClock) requireSoundClock(timekeeper);
  const client = services.clients.find(asking?.clientId ?? '');
  if (client === null) throw new Refusal('client.unauthenticated');
  const nationalId = personOf(params) ?? (await numberOf(services.store, accountId));
  const locale = wishedLocale(params) ?? DEFAULT_LOCALE;
  const endUser = { address: null };
  const wanted = { ...startedBy(client), locale, returnAddress: null, nationalId, endUser };
  // Of the attempt's token nobody is told, so the attempt ends in this flow alone.
  return (await startPush(services, { ...wanted, begunFor }, now)).record;
}

/** @throws OIDCProviderError in the place of a Refusal */
async function orOauthError<Result>(asked: Context, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'provider.record_not_found') {
      throw new UnknownUserId('the provider knows no such person');
    }
    if (error.code === 'flow.unavailable') {
      throw new InvalidRequest('the provider sends no requests to phones');
    }
    logUnsent(logOf(asked), asked.oidc.client?.clientId ?? '', error);
    const { retryAfterSeconds } = error.details;
    if (retryAfterSeconds !== undefined) asked.set('retry-after', String(retryAfterSeconds));
    const isSpent = error.code === 'push.budget_spent';
    if (isSpent) forgetStanding(asked.res);
    const status = isSpent ? 429 : 503;
    const what = new TemporarilyUnavailable(`try again later: ${error.code}`, { cause: error });
    throw Object.assign(what, { status, statusCode: status });
  }
}

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
async function attemptOf(
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
