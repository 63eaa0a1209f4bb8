import { makeAttemptId, type AttemptId } from '../../domain/attempt-id.ts';
import { startAttempt, type AttemptRecord } from '../../domain/attempt.ts';
import {
  ATTEMPT_TOKEN_BYTES,
  attemptTokenDigest,
  makeAttemptToken,
} from '../../domain/attempt-token.ts';
import type { Client } from '../../domain/client.ts';
import { Refusal } from '../../domain/errors/refusal.ts';
import type { Locale } from '../../domain/locale.ts';
import type { NationalId } from '../../domain/national-id.ts';
import type { Secret } from '../../domain/secret.ts';
import type { Ms } from '../../domain/time.ts';
import { UUID_RANDOM_BYTES } from '../../domain/uuid.ts';
import type { ProviderStart, Caller } from '../../ports/identity-provider.ts';
import type { Store } from '../../ports/store.ts';
import { withinBudget } from '../outcome/push-budget.ts';
import type { Services } from '../services.ts';

export interface StartRequest {
  readonly client: Client;
  readonly locale: Locale;
  /** One of the client's own; null for its first. */
  readonly returnAddress: string | null;
  readonly caller: Caller;
}

export interface StartedAttempt {
  readonly record: AttemptRecord;
  readonly token: Secret;
}

/** Starts a sign-in by browser redirect. @throws Refusal */
export function startRedirect(
  services: Services,
  request: StartRequest,
  now: Ms,
): Promise<StartedAttempt> {
  const started = newAttempt(services, { ...request, flow: 'oidc', nationalId: null }, now);
  return begin(services, started, now, () =>
    services.provider.openRedirect(started.record, request.caller, now),
  );
}

/** Sends a push to the person's phone. @throws Refusal with the provider's answer */
export async function startPush(
  services: Services,
  request: StartRequest & { readonly nationalId: NationalId },
  now: Ms,
): Promise<StartedAttempt> {
  if (!services.provider.hasPhoneFlow) throw new Refusal('flow.unavailable');
  const started = newAttempt(services, { ...request, flow: 'mfa' }, now);
  const ask = () => services.provider.requestPush(started.record, request.caller, now);
  return begin(services, started, now, () => withinBudget(services, started.record, now, ask));
}

type NewAttempt = StartRequest & Pick<AttemptRecord, 'flow' | 'nationalId'>;

function newAttempt({ random }: Services, request: NewAttempt, now: Ms): StartedAttempt {
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
  });
  return { record, token };
}

type Ask = () => Promise<ProviderStart>;

function begin(
  services: Services,
  started: StartedAttempt,
  now: Ms,
  ask: Ask,
): Promise<StartedAttempt> {
  return services.provider.isRemote
    ? services.attemptLock.run(started.record.attemptId, () =>
        storeThenAsk(services, started, now, ask),
      )
    : askThenStore(services, started, ask);
}

/** An answer that costs nothing can come first: one write for all of it. */
async function askThenStore(
  { store }: Services,
  { record, token }: StartedAttempt,
  ask: Ask,
): Promise<StartedAttempt> {
  const { bindingCode, expiresAt: providerExpiresAt } = await ask();
  const begun = { ...record, bindingCode, providerExpiresAt };
  await store.insertAttempt(begun);
  return { record: begun, token };
}

/**
 * An answer from a network can be lost after the provider has acted on it, so the attempt is there
 * first. A lost answer ends it: a later callback finds nothing to revive.
 */
async function storeThenAsk(
  { store }: Services,
  { record, token }: StartedAttempt,
  now: Ms,
  ask: Ask,
): Promise<StartedAttempt> {
  await store.insertAttempt(record);
  const { attemptId } = record;
  try {
    const begun = await ask();
    return { record: await open(store, attemptId, begun, now), token };
  } catch (error) {
    const reason = error instanceof Refusal ? error.code : 'server.error';
    await store.failAttempt({ attemptId, at: now, reason });
    throw error;
  }
}

async function open(
  store: Store,
  attemptId: AttemptId,
  { bindingCode, expiresAt: providerExpiresAt, transaction }: ProviderStart,
  at: Ms,
): Promise<AttemptRecord> {
  if (transaction === null) throw new Error('a remote provider gave no transaction');
  const change = { attemptId, at, transaction, bindingCode, providerExpiresAt };
  const opened = await store.openTransaction(change);
  if (opened === null) throw new Refusal('attempt.failed');
  return opened;
}
