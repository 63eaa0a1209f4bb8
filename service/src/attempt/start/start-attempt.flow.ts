import type { Client } from '../../account/client.ts';
import type { NationalId } from '../../account/user.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { ProviderStart, RemoteProvider } from '../../provider/identity-provider.port.ts';
import type { Simulation } from '../../simulate/simulation.port.ts';
import { makeAttemptId, UUID_RANDOM_BYTES } from '../../values/ids.ts';
import { REQUEST_OVERLOAD_LIMIT, STORE_OVERLOAD_LIMIT } from '../../values/limits.ts';
import type { Locale } from '../../values/locale.ts';
import type { Secret } from '../../values/secret.ts';
import type { Ms } from '../../values/time.ts';
import {
  ATTEMPT_TOKEN_BYTES,
  type AttemptRecord,
  attemptTokenDigest,
  makeAttemptToken,
  startAttempt,
} from '../attempt.ts';
import { browserDigest } from '../browser/browser-secret.ts';
import { cancelPending } from '../finish/cancel-attempt.flow.ts';
import { failAttempt } from '../finish/end-attempt.flow.ts';
import type { ProviderTransaction } from '../provider-transaction.ts';
import type { Scenario } from '../scenario.ts';
import type { AtProvider, Services, StartAtProvider } from '../services.flow.ts';
import { afterRefusal, type BudgetServices, pushWithinBudget } from './push-budget.flow.ts';

export interface StartRequest extends AtProvider {
  readonly client: Client;
  readonly locale: Locale;
  /** One of the client's return addresses; null for its first one. */
  readonly returnAddress: string | null;
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
  const stored = await services.startAtProvider.redirect(record, request, now);
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
  const stored = await services.startAtProvider.push(record, request, now);
  return { record: stored, token };
}

/**
 * Starts a sign-in by push whose number is shown in a page of this service. No token is good for it:
 * in the place of the token's digest it has that of the browser.
 * @throws Refusal as `startPush`
 */
export async function startPushInBrowser(
  services: Needs,
  request: StartRequest & { readonly nationalId: NationalId; readonly browser: string },
  now: Ms,
): Promise<AttemptRecord> {
  const { record } = newAttempt(services, { ...request, flow: 'mfa' }, now);
  const bound = { ...record, tokenDigest: browserDigest(request.browser) };
  return services.startAtProvider.push(bound, request, now);
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

/** Stores a new attempt, and counts it as started. @throws Refusal where another has come first */
async function insertAttempt(
  { store, meter }: Pick<Services, 'store' | 'meter'>,
  record: AttemptRecord,
  begunFor: AtProvider['begunFor'],
): Promise<void> {
  if (!(await store.insertAttempt(record, begunFor))) throw new Refusal('attempt.not_found');
  meter.signIn('started', record);
}

/**
 * A provider in this process answers at once and no answer is lost: it is asked first, then the
 * attempt is stored in one write.
 */
export function localStart(services: BudgetServices, provider: Simulation): StartAtProvider {
  return {
    async redirect(record, { begunFor }) {
      const started = { ...record, ...(await provider.openRedirect(record)) };
      await insertAttempt(services, started, begunFor);
      return started;
    },

    async push(record, { begunFor }, now) {
      const send = () => provider.requestPush(record);
      const started = { ...record, ...(await pushWithinBudget(services, record, now, send)) };
      await insertAttempt(services, started, begunFor);
      return started;
    },
  };
}

type RemoteNeeds = BudgetServices & Pick<Services, 'attemptLock' | 'withdrawPrompt'>;
type Started = ProviderStart<ProviderTransaction>;
type Begun = Required<Pick<AtProvider, 'begunFor'>> & { readonly record: AttemptRecord };

export function remoteStart(services: RemoteNeeds, provider: RemoteProvider): StartAtProvider {
  return {
    redirect: (record, { endUser, begunFor = null }, now) =>
      startWith(services, { record, begunFor }, now, () => provider.openRedirect(record, endUser)),

    async push(record, { endUser, begunFor = null }, now) {
      if (!provider.hasPhoneFlow) throw new Refusal('flow.unavailable');
      const send = () => provider.requestPush(record, endUser);
      const ask = () => pushWithinBudget(services, record, now, send);
      return startWith(services, { record, begunFor }, now, ask);
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
  begun: Begun,
  now: Ms,
  askProvider: () => Promise<Started>,
): Promise<AttemptRecord> {
  const { record } = begun;
  return services.attemptLock.run(record.attemptId, async () => {
    await insertAttempt(services, record, null);
    try {
      return await keepAnswer(services, begun, await askProvider(), now);
    } catch (error) {
      await afterRefusal(services, () => failStart(services, record, error, now));
      throw error;
    }
  });
}

async function keepAnswer(
  services: RemoteNeeds,
  { record, begunFor }: Begun,
  { bindingCode, expiresAt: providerExpiresAt, transaction }: Started,
  at: Ms,
): Promise<AttemptRecord> {
  const { attemptId } = record;
  const change = { attemptId, at, transaction, bindingCode, providerExpiresAt, begunFor };
  const opened = await services.store.openTransaction(change);
  if (opened !== null) return opened;
  if (begunFor === null) throw new Refusal('attempt.failed');
  // Another press was first, and the person signs in by that: nothing has failed.
  await cancelPending(services, record, at);
  throw new Refusal('attempt.not_found');
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

/** The age of the oldest start in the store from which further ones are refused. */
const STORE_LATE_MS: Ms = 250;
/** So many starts, or fewer, are not too many, even when a disk or a database stops for a moment. */
const NEVER_TOO_MANY = 16;
/** One start in this time is admitted in any case. */
const ALWAYS_EVERY_MS: Ms = 50;

/**
 * Decides whether another attempt may be started while there is more work than can be done
 * (decision 0108). It looks at delays, because a queue's length says nothing about the time that a
 * slower machine or database needs for it.
 *
 * However long the queues are, 20 starts a second are admitted: a flood of requests that are refused
 * for another reason keeps nobody from signing in, and the service sees when it is over.
 */
export class Admission {
  /** When each start that is in the store began there, oldest first. */
  readonly #inStore = new Map<symbol, Ms>();
  #nextAlways: Ms = Number.NEGATIVE_INFINITY;

  /** @returns to be called when the store has answered */
  enterStore(now: Ms): () => void {
    const key = Symbol();
    this.#inStore.set(key, now);
    return () => void this.#inStore.delete(key);
  }

  /**
   * @param isLate whether the request has waited too long in this process
   * @returns the limit that refuses the start; null when it is admitted
   */
  limitOf(isLate: boolean, now: Ms): string | null {
    const limit = isLate
      ? REQUEST_OVERLOAD_LIMIT
      : this.#isStoreLate(now)
        ? STORE_OVERLOAD_LIMIT
        : null;
    if (limit === null || now < this.#nextAlways) return limit;
    this.#nextAlways = now + ALWAYS_EVERY_MS;
    return null;
  }

  #isStoreLate(now: Ms): boolean {
    if (this.#inStore.size <= NEVER_TOO_MANY) return false;
    const [oldest = now] = this.#inStore.values();
    return now - oldest >= STORE_LATE_MS;
  }
}
