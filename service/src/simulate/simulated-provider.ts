import {
  actOnPage,
  markOf,
  sessionFault,
  signerToKeep,
  OUTCOMES,
  outcomeId,
  type DecisionChoice,
  type DecisionResult,
  type Engine,
  type People,
  type Person as SimulatedPerson,
  type PersonMark,
  type Prompt,
  type PromptKind,
  type PromptRequest,
} from '@miftah/simulator/engine';
import { BINDING_CODE_LENGTH } from '../attempt/attempt.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import { Refusal } from '../errors/refusal.ts';
import { parseNationalId, type Person } from '../account/user.ts';
import { DEFAULT_SCENARIO, DEFAULT_SCOPE, scopeOf, type Scenario } from '../attempt/scenario.ts';
import { proofDeadline } from '../attempt/provider-transaction.ts';
import type { Ms } from '../values/time.ts';
import type { SharedNotes } from '../platform/coordination/coordination.port.ts';
import type { AttemptReference, LoginResult } from '../provider/identity-provider.port.ts';
import type { Timer } from '../platform/runtime.port.ts';
import type { SimulatedStart, Simulation, TestPerson } from './simulation.port.ts';
import { KeptDecisions } from './kept-decisions.ts';
import { refusalOf, SimulatedFaults } from './simulated-faults.ts';

/**
 * The issuer of test people. Not an address: they are the same people wherever the simulator runs.
 */
export const SIMULATOR_ISSUER = 'simulator';

/** In another scope the same person is another user. */
export function issuerIn(scope: string): string {
  return scope === DEFAULT_SCOPE ? SIMULATOR_ISSUER : `${SIMULATOR_ISSUER}:${scope}`;
}

/** The service name that the provider shows for a sign-in. */
export const SIMULATED_SERVICE = 'Login';

/** A decision on a prompt, and the result that it gives. */
export interface DecidedPrompt {
  readonly decided: DecisionResult;
  readonly news: LoginResult;
}

export interface SimulatedProvider extends Simulation {
  /** Ends the delays of the faults that are set. */
  close(): void;
  /** The prompt of an attempt, as its person sees it. */
  promptOf(attempt: AttemptReference, now: Ms): Promise<Prompt>;
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
    close: () => faults.close(),
    promptOf: (attempt, now) => prompts.of(attempt, now),
    decidePrompt: (attempt, choice, now) => decide(attempt, choice, now),

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

    people: (attempt = { scenario: null }) =>
      testPeople(engine.scopes.of(scopeOf(attempt)).directory.people),

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

/** Who was named by a decision; null for nobody. */
function namedIn({ personId }: DecisionChoice, { decided }: Prompt): PersonMark | null {
  return personId !== undefined && decided?.state === 'approved' ? markOf(decided.person) : null;
}

class SimulatedPrompts {
  readonly #engine: Engine;
  readonly #kept: KeptDecisions;

  constructor(engine: Engine, notes: SharedNotes) {
    this.#engine = engine;
    this.#kept = new KeptDecisions(notes);
  }

  async of(attempt: AttemptReference, now: Ms): Promise<Prompt> {
    const { past } = await this.#kept.soonOf(attempt.attemptId, now);
    return this.#engine.promptOf(promptRequest(attempt), past);
  }

  async decide(attempt: AttemptReference, choice: DecisionChoice, now: Ms): Promise<DecidedPrompt> {
    const { attemptId, expiresAt } = attempt;
    const before = await this.#kept.of(attemptId);
    const prompt = this.#engine.promptOf(promptRequest(attempt), before.past);
    const decided = this.#engine.decideOn(prompt, choice, now);
    const news = resultOf(this.#engine, decided.ok ? decided.prompt : prompt, now);
    if (!decided.ok || news.result !== 'waiting') return { decided, news };
    const past = { decision: choice.decision, named: namedIn(choice, decided.prompt), at: now };
    const where = { replaces: before, keepMs: Math.max(expiresAt - now, 0) };
    if (await this.#kept.keep(attemptId, past, where)) return { decided, news };
    // Somebody else has decided at the same moment: this decision is a later one.
    return this.decide(attempt, choice, now);
  }
}

function promptRequest(attempt: AttemptReference): PromptRequest {
  const { attemptId: requestId, locale, scenario, createdAt, expiresAt } = attempt;
  const { nationalId, bindingCode } = attempt;
  const keptSigner = scenario?.signer ?? null;
  const wanted = {
    requestId,
    locale,
    scenario,
    service: SIMULATED_SERVICE,
    keptSigner,
    createdAt,
    expiresAt,
  };
  return nationalId === null || bindingCode === null
    ? { ...wanted, kind: 'redirect' }
    : { ...wanted, kind: 'push', nationalId, bindingCode };
}

/** The result that live mode would get for the same sign-in (test/provider/conformance.test.ts). */
function resultOf(engine: Engine, prompt: Prompt, now: Ms): LoginResult {
  const result = engine.resultOf(prompt, now);
  switch (result.kind) {
    case 'approved': {
      const person = toPerson(result.person, prompt.scope);
      return { result: 'approved', person: result.named ? person : withoutNames(person) };
    }
    case 'rejected':
      return { result: 'rejected', reason: 'attempt.rejected' };
    case 'waiting':
    case 'expired':
      // The attempt itself expires at the same time.
      return { result: 'waiting' };
    case 'unsigned':
      return withoutProof(result.since, now);
    case 'bad_token':
      if (result.flaw === 'other_person') return failed('provider.mismatch');
      // A push token that can't be verified may come from anybody, so it does not end the attempt.
      // An exchange is requested only once, so its bad token does.
      return prompt.kind === 'push'
        ? withoutProof(result.since, now)
        : failed('provider.bad_response');
  }
}

function withoutProof(approvedAt: Ms, now: Ms): LoginResult {
  return now >= proofDeadline(approvedAt)
    ? failed('provider.identity_missing')
    : { result: 'waiting' };
}

function failed(reason: ErrorCode): LoginResult {
  return { result: 'failed', reason };
}

function toPerson(person: SimulatedPerson, scope: string): Person {
  const nationalId = parseNationalId(person.nationalId);
  if (nationalId === null) throw new Error(`test person ${person.id} has no valid national id`);
  return {
    issuer: issuerIn(scope),
    documentType: person.documentType,
    documentNumber: nationalId,
    nationalId,
    arabicName: person.arabicName.full,
    englishName: person.englishName.full,
    email: person.email,
    nationality: person.nationality.code,
    gender: person.gender,
    assuranceLevel: person.assuranceLevel,
  };
}

/** The person as after a signed result that contains an identifier and no names. */
function withoutNames(person: Person): Person {
  return { ...person, arabicName: '', englishName: '', email: null, gender: 'X' };
}

function testPeople({ all, fallback }: People): readonly TestPerson[] {
  return all.map((person) => ({
    id: person.id,
    nationalId: person.nationalId,
    documentType: person.documentType,
    arabicName: person.arabicName.full,
    englishName: person.englishName.full,
    isDefault: person.id === fallback.id,
  }));
}

function unknownPerson(): Refusal {
  const faults = [{ field: 'person', pointer: '/person', rule: 'format' }] as const;
  return new Refusal('validation.failed', { faults });
}
