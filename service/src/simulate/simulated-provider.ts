import {
  actOnPage,
  NO_FAULTS,
  OUTCOMES,
  outcomeId,
  sessionFault,
  signerToKeep,
  type AnswerFault,
  type DecisionChoice,
  type Engine,
  type ErrorRecord,
  type Operation,
  type Person,
  type Prompt,
  type PromptKind,
} from '@miftah/simulator/engine';
import { BINDING_CODE_LENGTH } from '../attempt/attempt.ts';
import { DEFAULT_SCENARIO, scopeOf, type Scenario } from '../attempt/scenario.ts';
import { Refusal } from '../errors/refusal.ts';
import type { SharedNotes } from '../platform/coordination/coordination.port.ts';
import type { Timer } from '../platform/runtime.port.ts';
import type { AttemptReference, LoginResult } from '../provider/identity-provider.port.ts';
import { CALL_DEADLINE_MS } from '../provider/provider-config.ts';
import type { Ms } from '../values/time.ts';
import {
  resultOf,
  SIMULATED_SERVICE,
  SimulatedPrompts,
  type DecidedPrompt,
} from './simulated-prompts.ts';
import type { SimulatedStart, Simulation, TestPerson } from './simulation.port.ts';

export interface SimulatedProvider extends Simulation {
  /** Ends the delays of the faults that are set. */
  /** As long as a fault says, or until `close`. */
  readonly sleep: (ms: Ms) => Promise<void>;
  close(): void;
  /** The prompt of an attempt, as its person sees it. */
  promptOf(attempt: AttemptReference, now: Ms): Promise<Prompt>;
  /** As `collect`, without the faults that a test has set for who asks. */
  decided(attempt: AttemptReference, now: Ms): Promise<LoginResult>;
  /**
   * As `decide`, for the control API of the simulator.
   * @throws Refusal `storage.unavailable`; `provider.unavailable` by a fault that is set
   */
  decidePrompt(attempt: AttemptReference, choice: DecisionChoice, now: Ms): Promise<DecidedPrompt>;
}

/**
 * Makes the simulator's engine, in this process, the service's identity provider. It keeps no
 * prompts: each is made of its attempt, which every instance finds in the store.
 */
export function createSimulatedProvider(
  engine: Engine,
  notes: SharedNotes,
  timer: Timer,
): SimulatedProvider {
  const prompts = new SimulatedPrompts(engine, notes);
  const faults = new SimulatedFaults(engine, timer);

  const decide = async (attempt: AttemptReference, choice: DecisionChoice, now: Ms) =>
    withExchange(faults, await prompts.decide(attempt, choice, now));

  return {
    sleep: (ms) => faults.sleep(ms),
    close: () => faults.close(),
    promptOf: (attempt, now) => prompts.of(attempt, now),
    decidePrompt: (attempt, choice, now) => decide(attempt, choice, now),

    decided: async (attempt, now) => resultOf(engine, await prompts.of(attempt, now), now),

    ...startsAt(engine, faults),

    async actOnPage(attempt, now) {
      if (attempt.flow !== 'oidc' || (attempt.scenario?.outcome ?? null) === null) return null;
      return actOnPage(await prompts.of(attempt, now));
    },

    async collect(attempt, now) {
      const prompt = await prompts.of(attempt, now);
      // Live mode learns of an approval by the signed result, whatever the status is.
      if (prompt.kind === 'push') await faults.delay('mfa_status', prompt.scope);
      return resultOf(engine, prompt, now);
    },

    async decide(attempt, decision, personId, now) {
      const choice = { decision, personId: personId ?? undefined };
      const { decided, news } = await decide(attempt, choice, now);
      if (!decided.ok && decided.reason === 'unknown_person') throw unknownPerson();
      return news;
    },

    people({ limit, search = '' }, attempt = { scenario: null }) {
      const { people } = engine.scopes.of(scopeOf(attempt)).directory;
      const found = people.find({ search, after: null, limit }) ?? [];
      return found.map((person) => testPerson(person, people.fallback));
    },

    reserved: () => OUTCOMES.map(({ number, title }) => ({ nationalId: outcomeId(number), title })),
  };
}

/** A sign-in by browser ends with an exchange, which may meet a fault. @throws Refusal */
async function withExchange(faults: SimulatedFaults, made: DecidedPrompt): Promise<DecidedPrompt> {
  const { decided, news } = made;
  const isExchanged = decided.ok && decided.prompt.kind === 'redirect' && news.result !== 'waiting';
  if (!isExchanged) return made;
  return { decided, news: (await faults.exchange(decided.prompt.scope)) ?? news };
}

/** How attempts begin: with the faults that a test has set, and with the outcome of each. */
function startsAt(
  engine: Engine,
  faults: SimulatedFaults,
): Pick<Simulation, 'openRedirect' | 'requestPush'> {
  return {
    async requestPush(attempt) {
      await faults.meet('mfa_request', scopeOf(attempt));
      return sendPush(engine, attempt);
    },

    async openRedirect(attempt) {
      await faults.meet('session', scopeOf(attempt));
      const scenario = chosenFor(engine, attempt, 'redirect');
      const fault = sessionFault(scenario);
      if (fault !== null) throw refusalOf(fault, 'session');
      return { bindingCode: null, scenario: withSigner(engine, attempt, scenario) };
    },
  };
}

/** @throws Refusal */
function sendPush(engine: Engine, attempt: AttemptReference): SimulatedStart {
  const { attemptId, locale, nationalId, createdAt, expiresAt } = attempt;
  if (nationalId === null) throw new Error('a push needs somebody to go to');
  const scenario = chosenFor(engine, attempt, 'push');
  const request = {
    requestId: attemptId,
    locale,
    nationalId,
    service: SIMULATED_SERVICE,
    scenario,
  };
  const options = {
    isKept: false,
    codeLength: BINDING_CODE_LENGTH,
    unlisted: 'wait',
    lifetimeMs: expiresAt - createdAt,
    oneActive: false,
  } as const;
  const pushed = engine.createPush(request, options, createdAt);
  if (!pushed.ok) throw refusalOf(pushed, 'mfa_request');
  return { bindingCode: pushed.bindingCode, scenario: withSigner(engine, attempt, scenario) };
}

/** What was chosen for an attempt by its start, or else by the queue of its scope. */
function chosenFor(engine: Engine, { attemptId, scenario }: AttemptReference, kind: PromptKind) {
  return engine.next.choose({ requestId: attemptId, scenario }, kind);
}

/** With what is needed to know later who was asked, so that nobody else is taken for them. */
function withSigner(
  engine: Engine,
  { nationalId }: AttemptReference,
  scenario: Scenario | null,
): Scenario | null {
  const { directory } = engine.scopes.of(scopeOf({ scenario }));
  const signer = signerToKeep(nationalId, directory);
  return signer === null ? scenario : { ...(scenario ?? DEFAULT_SCENARIO), signer };
}

function testPerson(person: Person, fallback: Person): TestPerson {
  return {
    id: person.id,
    nationalId: person.nationalId,
    documentType: person.documentType,
    arabicName: person.arabicName.full,
    englishName: person.englishName.full,
    isDefault: person.id === fallback.id,
  };
}

function unknownPerson(): Refusal {
  const faults = [{ field: 'person', pointer: '/person', rule: 'format' }] as const;
  return new Refusal('validation.failed', { faults });
}

/** How long to wait after a push was refused because another one is open. */
const ACTIVE_PUSH_RETRY_SECONDS = 60;

/** A call without an answer, as the engine says it. */
type Failed =
  | { readonly kind: 'record'; readonly record: ErrorRecord }
  | { readonly kind: Exclude<AnswerFault['kind'], 'record'> };

/**
 * The faults that a test has set, for a service that calls no provider over a network: what would be
 * a call there waits and fails as the live driver's call would.
 */
class SimulatedFaults {
  readonly #engine: Engine;
  readonly #timer: Timer;
  readonly #asleep = new Set<() => void>();
  #isClosing = false;

  constructor(engine: Engine, timer: Timer) {
    this.#engine = engine;
    this.#timer = timer;
  }

  /** @throws Refusal if the call fails */
  async meet(operation: Operation, scope: string): Promise<void> {
    const failed = await this.#call(operation, scope);
    if (failed !== null) throw refusalOf(failed, operation);
  }

  /** A call whose failure changes nothing, since the last known answer counts then. */
  async delay(operation: Operation, scope: string): Promise<void> {
    await this.#call(operation, scope);
  }

  /**
   * The exchange at the end of a sign-in by browser. Null: it succeeds. The same failures as in live
   * mode end the attempt, since the state has been exchanged, or may have been.
   * @throws Refusal `provider.unavailable`, after which it can be tried again
   */
  async exchange(scope: string): Promise<LoginResult | null> {
    const failed = await this.#call('exchange', scope);
    if (failed === null) return null;
    if (failed.kind === 'record' && failed.record.code === STATE_NOT_REDEEMABLE) {
      return { result: 'rejected', reason: 'attempt.rejected' };
    }
    const refusal = refusalOf(failed, 'exchange');
    if (refusal.code === 'provider.unavailable') throw refusal;
    return { result: 'failed', reason: refusal.code };
  }

  /** Ends all delays, and those that would begin later. */
  close(): void {
    this.#isClosing = true;
    for (const wake of this.#asleep) wake();
  }

  async #call(operation: Operation, scope: string): Promise<Failed | null> {
    const { faults } = this.#engine.scopes.of(scope);
    const { latencyMs, fault } = faults?.meet(operation) ?? NO_FAULTS;
    if (latencyMs > 0) await this.sleep(Math.min(latencyMs, CALL_DEADLINE_MS));
    // The live driver gives up then.
    if (latencyMs >= CALL_DEADLINE_MS) return { kind: 'timeout' };
    return fault?.kind === 'record'
      ? { kind: 'record', record: this.#engine.record(fault.record) }
      : fault;
  }

  async sleep(ms: Ms): Promise<void> {
    if (this.#isClosing) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#asleep.add(resolve);
    const cancel = this.#timer.after(ms, resolve);
    await promise;
    cancel();
    this.#asleep.delete(resolve);
  }
}

const STATE_NOT_REDEEMABLE = '401-033-024';

/** The error that a remote provider's driver would give. */
function refusalOf(failed: Failed, operation: Operation): Refusal {
  switch (failed.kind) {
    case 'record':
      return recordRefusal(failed.record);
    case 'gateway':
      return new Refusal('provider.misconfigured');
    case 'outage':
      return outage();
    case 'malformed':
      return new Refusal('provider.bad_response');
    case 'cut':
      // A session that was opened and not used does no harm, so the start can be repeated.
      return operation === 'session' ? outage() : new Refusal('provider.timeout');
    case 'timeout':
      return new Refusal('provider.timeout');
  }
}

function outage(): Refusal {
  return new Refusal('provider.unavailable', { retryAfterSeconds: 1 });
}

function recordRefusal({ code, reference }: ErrorRecord): Refusal {
  if (code === '422-016-023') return new Refusal('provider.record_not_found', { reference });
  if (code === '400-034-050') {
    const retryAfterSeconds = ACTIVE_PUSH_RETRY_SECONDS;
    return new Refusal('push.budget_spent', { retryAfterSeconds });
  }
  return new Refusal('provider.misconfigured', { reference });
}
