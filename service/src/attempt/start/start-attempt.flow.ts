import { makeAttemptId } from '../attempt-id.ts';
import { startAttempt, type AttemptRecord } from '../attempt.ts';
import { ATTEMPT_TOKEN_BYTES, attemptTokenDigest, makeAttemptToken } from '../attempt-token.ts';
import type { Client } from '../../account/client.ts';
import type { Locale } from '../../values/locale.ts';
import type { NationalId } from '../../account/national-id.ts';
import type { Scenario } from '../scenario.ts';
import type { Secret } from '../../values/secret.ts';
import type { Ms } from '../../values/time.ts';
import { UUID_RANDOM_BYTES } from '../../values/uuid.ts';
import type { EndUser } from '../../provider/identity-provider.port.ts';
import type { Services } from '../services.flow.ts';

export interface StartRequest {
  readonly client: Client;
  readonly locale: Locale;
  /** One of the client's return addresses; null for its first one. */
  readonly returnAddress: string | null;
  readonly endUser: EndUser;
  /** What a test has chosen; null in live mode. */
  readonly scenario: Scenario | null;
}

export interface StartedAttempt {
  readonly record: AttemptRecord;
  readonly token: Secret;
}

type Needs = Pick<Services, 'random' | 'startAtProvider'>;

/** Starts a sign-in by browser redirect. @throws Refusal */
export async function startRedirect(
  services: Needs,
  request: StartRequest,
  now: Ms,
): Promise<StartedAttempt> {
  const { record, token } = newAttempt(
    services,
    { ...request, flow: 'oidc', nationalId: null },
    now,
  );
  const stored = await services.startAtProvider.redirect(record, request.endUser, now);
  return { record: stored, token };
}

/**
 * Starts a sign-in by a push to the person's phone.
 * @throws Refusal, also with the provider's error
 */
export async function startPush(
  services: Needs,
  request: StartRequest & { readonly nationalId: NationalId },
  now: Ms,
): Promise<StartedAttempt> {
  const { record, token } = newAttempt(services, { ...request, flow: 'mfa' }, now);
  const stored = await services.startAtProvider.push(record, request.endUser, now);
  return { record: stored, token };
}

type NewAttempt = StartRequest & Pick<AttemptRecord, 'flow' | 'nationalId'>;

function newAttempt({ random }: Needs, request: NewAttempt, now: Ms): StartedAttempt {
  const { client, locale, flow, nationalId } = request;
  const token = makeAttemptToken(random.bytes(ATTEMPT_TOKEN_BYTES));
  const record = startAttempt({
    attemptId: makeAttemptId(now, random.bytes(UUID_RANDOM_BYTES)),
    flow,
    client: client.id,
    tokenDigest: attemptTokenDigest(token.reveal()),
    locale,
    nationalId,
    bindingCode: null,
    returnAddress: request.returnAddress ?? client.returnAddresses[0] ?? null,
    createdAt: now,
    providerExpiresAt: null,
    scenario: request.scenario,
  });
  return { record, token };
}
