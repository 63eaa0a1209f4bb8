import {
  DEFAULT_SCOPE,
  OUTCOMES,
  outcomeId,
  type DecisionChoice,
  type DecisionResult,
  type Engine,
  type People,
  type Person as SimulatedPerson,
  type Prompt,
  type PromptRequest,
  type PushResult,
} from '@miftah/simulator/engine';
import { BINDING_CODE_LENGTH } from '../domain/attempt.ts';
import type { ErrorCode } from '../domain/errors/catalogue.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import { parseNationalId } from '../domain/national-id.ts';
import { isProofLate } from '../domain/provider-transaction.ts';
import type { Ms } from '../domain/time.ts';
import type { Person } from '../domain/user.ts';
import type { SharedNotes } from '../ports/coordination.ts';
import type { AttemptReference, LocalProvider, LoginResult } from '../ports/identity-provider.ts';
import type { Simulation, TestPerson } from '../ports/simulation.ts';
import { KeptDecisions } from './kept-decisions.ts';

/**
 * The issuer of test people. Not an address: they are the same people wherever the simulator runs.
 */
export const SIMULATOR_ISSUER = 'simulator';
/** The service name that the provider shows for a sign-in. */
const SERVICE = 'Login';
/** How long to wait after a push was refused because another one is open. */
const ACTIVE_PUSH_RETRY_SECONDS = 60;

/** A decision on a prompt, and the result that it gives. */
export interface DecidedPrompt {
  readonly decided: DecisionResult;
  readonly news: LoginResult;
}

export interface SimulatedProvider extends LocalProvider, Simulation {
  /** The prompt of an attempt, as its person sees it. */
  promptOf(attempt: AttemptReference, now: Ms): Promise<Prompt>;
  /** As `decide`, for the control API of the simulator. @throws Refusal `storage.unavailable` */
  decidePrompt(attempt: AttemptReference, choice: DecisionChoice, now: Ms): Promise<DecidedPrompt>;
}

/**
 * Makes the simulator's engine, in this process, the service's identity provider. It keeps no
 * prompts: each is made of its attempt, which every instance finds in the store.
 */
export function createSimulatedProvider(engine: Engine, notes: SharedNotes): SimulatedProvider {
  const prompts = new SimulatedPrompts(engine, notes);
  return {
    promptOf: (attempt, now) => prompts.of(attempt, now),
    decidePrompt: (attempt, choice, now) => prompts.decide(attempt, choice, now),

    async requestPush({ attemptId, locale, nationalId, createdAt, expiresAt, scenario }) {
      if (nationalId === null) throw new Error('a push needs somebody to go to');
      const request = { requestId: attemptId, locale, nationalId, service: SERVICE, scenario };
      const options = {
        isKept: false,
        codeLength: BINDING_CODE_LENGTH,
        unlisted: 'wait',
        lifetimeMs: expiresAt - createdAt,
        oneActive: false,
      } as const;
      const { bindingCode } = requireAccepted(engine.createPush(request, options, createdAt));
      return bindingCode;
    },

    async openRedirect() {
      // The attempt is all that the sign-in page needs.
    },

    async collect(attempt, now) {
      return resultOf(engine, await prompts.of(attempt, now), now);
    },

    async decide(attempt, decision, personId, now) {
      const choice = { decision, personId: personId ?? undefined };
      const { decided, news } = await prompts.decide(attempt, choice, now);
      if (!decided.ok && decided.reason === 'unknown_person') throw unknownPerson();
      return news;
    },

    people: () => testPeople(engine.scopes.of(DEFAULT_SCOPE).directory.people),

    reserved: () => OUTCOMES.map(({ number, title }) => ({ nationalId: outcomeId(number), title })),
  };
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
    const past = { ...choice, at: now };
    const where = { replaces: before, keepMs: Math.max(expiresAt - now, 0) };
    if (await this.#kept.keep(attemptId, past, where)) return { decided, news };
    // Somebody else has decided at the same moment: this decision is a later one.
    return this.decide(attempt, choice, now);
  }
}

function promptRequest(attempt: AttemptReference): PromptRequest {
  const { attemptId: requestId, locale, scenario, createdAt, expiresAt } = attempt;
  const { nationalId, bindingCode } = attempt;
  const wanted = { requestId, locale, scenario, service: SERVICE, createdAt, expiresAt };
  return nationalId === null || bindingCode === null
    ? { ...wanted, kind: 'redirect' }
    : { ...wanted, kind: 'push', nationalId, bindingCode };
}

/** The result that live mode would get for the same sign-in (test/provider/conformance.test.ts). */
function resultOf(engine: Engine, prompt: Prompt, now: Ms): LoginResult {
  const result = engine.resultOf(prompt, now);
  switch (result.kind) {
    case 'approved': {
      const person = toPerson(result.person);
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
  return isProofLate(approvedAt, now) ? failed('provider.identity_missing') : { result: 'waiting' };
}

function failed(reason: ErrorCode): LoginResult {
  return { result: 'failed', reason };
}

function toPerson(person: SimulatedPerson): Person {
  const nationalId = parseNationalId(person.nationalId);
  if (nationalId === null) throw new Error(`test person ${person.id} has no valid national id`);
  return {
    issuer: SIMULATOR_ISSUER,
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

type Accepted = Extract<PushResult, { ok: true }>;

/** Gives the same errors as a remote provider would. */
function requireAccepted(result: PushResult): Accepted {
  if (result.ok) return result;
  switch (result.kind) {
    case 'record':
      throw recordRefusal(result.record.code, result.record.reference);
    case 'gateway':
      throw new Refusal('provider.misconfigured');
    case 'outage':
      throw new Refusal('provider.unavailable', { retryAfterSeconds: 1 });
    case 'malformed':
      throw new Refusal('provider.bad_response');
    case 'cut':
    case 'timeout':
      throw new Refusal('provider.timeout');
  }
}

function recordRefusal(code: string, reference: number): Refusal {
  if (code === '422-016-023') return new Refusal('provider.record_not_found', { reference });
  if (code === '400-034-050') {
    const retryAfterSeconds = ACTIVE_PUSH_RETRY_SECONDS;
    return new Refusal('push.budget_spent', { retryAfterSeconds });
  }
  return new Refusal('provider.misconfigured', { reference });
}

function unknownPerson(): Refusal {
  const faults = [{ field: 'person', pointer: '/person', rule: 'format' }] as const;
  return new Refusal('validation.failed', { faults });
}
