import type { Client } from '../../account/client.ts';
import type { NationalId } from '../../account/user.ts';
import { makeAttemptId, UUID_RANDOM_BYTES } from '../../values/ids.ts';
import {
  ATTEMPT_TOKEN_BYTES,
  attemptTokenDigest,
  makeAttemptToken,
  type AttemptRecord,
  startAttempt,
} from '../attempt.ts';
import { failAttempt } from '../finish/end-attempt.flow.ts';
import type { ProviderTransaction } from '../provider-transaction.ts';
import type { Scenario } from '../scenario.ts';
import type { Services, StartAtProvider } from '../services.flow.ts';
import { type BudgetServices, afterRefusal, pushWithinBudget } from './push-budget.flow.ts';
import { Refusal } from '../../errors/refusal.ts';
import type {
  EndUser,
  ProviderStart,
  RemoteProvider,
} from '../../provider/identity-provider.port.ts';
import type { Simulation } from '../../simulate/simulation.port.ts';
import type { Locale } from '../../values/locale.ts';
import type { Secret } from '../../values/secret.ts';
import type { Ms } from '../../values/time.ts';

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

/** Stores a new attempt, and counts it as started. */
async function insertAttempt(
  { store, meter }: Pick<Services, 'store' | 'meter'>,
  record: AttemptRecord,
): Promise<void> {
  await store.insertAttempt(record);
  meter.signIn('started', record);
}

/**
 * A provider in this process answers at once and no answer is lost: it is asked first, then the
 * attempt is stored in one write.
 */
export function localStart(services: BudgetServices, provider: Simulation): StartAtProvider {
  return {
    async redirect(record) {
      const started = { ...record, ...(await provider.openRedirect(record)) };
      await insertAttempt(services, started);
      return started;
    },

    async push(record, _endUser, now) {
      const send = () => provider.requestPush(record);
      const started = { ...record, ...(await pushWithinBudget(services, record, now, send)) };
      await insertAttempt(services, started);
      return started;
    },
  };
}

type RemoteNeeds = BudgetServices & Pick<Services, 'attemptLock'>;
type Started = ProviderStart<ProviderTransaction>;

export function remoteStart(services: RemoteNeeds, provider: RemoteProvider): StartAtProvider {
  return {
    redirect: (record, endUser, now) =>
      startWith(services, record, now, () => provider.openRedirect(record, endUser)),

    async push(record, endUser, now) {
      if (!provider.hasPhoneFlow) throw new Refusal('flow.unavailable');
      const send = () => provider.requestPush(record, endUser);
      return startWith(services, record, now, () => pushWithinBudget(services, record, now, send));
    },
  };
}

/**
 * The attempt is stored before the provider is asked, because the provider's answer can be lost
 * after it has acted. A lost answer ends the attempt, so that a later callback can't complete it. A
 * callback that arrives before the answer waits for the lock.
 */
async function startWith(
  services: RemoteNeeds,
  record: AttemptRecord,
  now: Ms,
  askProvider: () => Promise<Started>,
): Promise<AttemptRecord> {
  return services.attemptLock.run(record.attemptId, async () => {
    await insertAttempt(services, record);
    try {
      return await keepAnswer(services, record, await askProvider(), now);
    } catch (error) {
      await afterRefusal(services, () => failStart(services, record, error, now));
      throw error;
    }
  });
}

async function keepAnswer(
  { store }: RemoteNeeds,
  { attemptId }: AttemptRecord,
  { bindingCode, expiresAt: providerExpiresAt, transaction }: Started,
  at: Ms,
): Promise<AttemptRecord> {
  const change = { attemptId, at, transaction, bindingCode, providerExpiresAt };
  const opened = await store.openTransaction(change);
  if (opened === null) throw new Refusal('attempt.failed');
  return opened;
}

async function failStart(
  services: RemoteNeeds,
  { attemptId }: AttemptRecord,
  error: unknown,
  at: Ms,
): Promise<void> {
  const reason = error instanceof Refusal ? error.code : 'server.error';
  await failAttempt(services, { attemptId, at, reason });
}
