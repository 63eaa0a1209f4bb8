import { makeAttemptId } from '../domain/attempt-id.ts';
import { ATTEMPT_LIFETIME_MS, startAttempt, type AttemptRecord } from '../domain/attempt.ts';
import {
  ATTEMPT_TOKEN_BYTES,
  attemptTokenDigest,
  makeAttemptToken,
} from '../domain/attempt-token.ts';
import { SIMULATOR_CLIENT } from '../domain/client.ts';
import type { Locale } from '../domain/locale.ts';
import type { NationalId } from '../domain/national-id.ts';
import type { Secret } from '../domain/secret.ts';
import type { Ms } from '../domain/time.ts';
import { UUID_RANDOM_BYTES } from '../domain/uuid.ts';
import type { Tools } from './tools.ts';

export interface StartedAttempt {
  readonly record: AttemptRecord;
  readonly token: Secret;
}

/** Starts a sign-in by browser redirect. */
export async function startRedirect(
  tools: Tools,
  { locale }: { locale: Locale },
  now: Ms,
): Promise<StartedAttempt> {
  const { attemptId, token } = newSecrets(tools, now);
  const record = startAttempt({
    attemptId,
    flow: 'oidc',
    client: SIMULATOR_CLIENT,
    tokenDigest: attemptTokenDigest(token.reveal()),
    locale,
    nationalId: null,
    bindingCode: null,
    returnAddress: null,
    createdAt: now,
    providerExpiresAt: null,
  });
  await tools.provider.openRedirect(record);
  await tools.store.insertAttempt(record);
  return { record, token };
}

/** Sends a push to the person's phone. @throws Refusal with the provider's answer. */
export async function startPush(
  tools: Tools,
  { locale, nationalId }: { locale: Locale; nationalId: NationalId },
  now: Ms,
): Promise<StartedAttempt> {
  const { attemptId, token } = newSecrets(tools, now);
  const expiresAt = now + ATTEMPT_LIFETIME_MS;
  const push = await tools.provider.requestPush({
    attemptId,
    locale,
    nationalId,
    at: now,
    expiresAt,
  });
  const record = startAttempt({
    attemptId,
    flow: 'mfa',
    client: SIMULATOR_CLIENT,
    tokenDigest: attemptTokenDigest(token.reveal()),
    locale,
    nationalId,
    bindingCode: push.bindingCode,
    returnAddress: null,
    createdAt: now,
    providerExpiresAt: push.expiresAt,
  });
  await tools.store.insertAttempt(record);
  return { record, token };
}

function newSecrets({ random }: Tools, now: Ms) {
  return {
    attemptId: makeAttemptId(now, random.bytes(UUID_RANDOM_BYTES)),
    token: makeAttemptToken(random.bytes(ATTEMPT_TOKEN_BYTES)),
  };
}
