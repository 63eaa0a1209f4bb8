import {
  InvalidBindingMessage,
  InvalidRequest,
  TemporarilyUnavailable,
  UnknownUserId,
} from 'oidc-provider/lib/helpers/errors.js';
import type { BackchannelRequest, Context, OidcAccount } from 'oidc-provider/lib/provider.js';
import { BACKCHANNEL_DELIVERIES, WHO_IS_HINTED } from '../../account/openid-client.ts';
import { expiryOf } from '../../attempt/attempt.ts';
import { scopeOf } from '../../attempt/scenario.ts';
import { startPush } from '../../attempt/start/start-attempt.flow.ts';
import { Refusal } from '../../errors/refusal.ts';
import { requireSoundClock } from '../../operate/readiness.flow.ts';
import { textMember } from '../../request/body/text-member.ts';
import { forgetStanding } from '../../request/caller/caller.ts';
import type { HttpContext } from '../../request/context.ts';
import { exchangeOf } from '../../request/record/record-exchanges.ts';
import type { BegunFor } from '../../store/ports/store.port.ts';
import { DEFAULT_LOCALE } from '../../values/locale.ts';
import { SECOND_MS, secondsUntil, type Ms } from '../../values/time.ts';
import { takeHeld } from '../held-changes.ts';
import { numberOf, personOf } from '../phone.flow.ts';
import { logOf, logUnsent } from '../refused.ts';
import { startedBy, wishedLocale } from '../sign-in.flow.ts';
import { deliveryOf, outside, pingAtEnd, type CibaParts } from './ping.flow.ts';
import { INTERVAL } from './poll.flow.ts';

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
