import {
  DECISIONS,
  markOf,
  type DecisionChoice,
  type DecisionResult,
  type Engine,
  type PastDecision,
  type Person as SimulatedPerson,
  type PersonMark,
  type Prompt,
  type PromptRequest,
} from '@miftah/simulator/engine';
import { parseNationalId, type Person, type ReportedPerson } from '../account/user.ts';
import { proofDeadline } from '../attempt/provider-transaction.ts';
import { DEFAULT_SCOPE } from '../attempt/scenario.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import {
  MOST_NOTES,
  type Note,
  type SharedNotes,
} from '../platform/coordination/coordination.port.ts';
import type { AttemptReference, LoginResult } from '../provider/identity-provider.port.ts';
import type { AttemptId } from '../values/ids.ts';
import type { Ms } from '../values/time.ts';

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

/** Who was named by a decision; null for nobody. */
function namedIn({ personId }: DecisionChoice, { decided }: Prompt): PersonMark | null {
  return personId !== undefined && decided?.state === 'approved' ? markOf(decided.person) : null;
}

/** The prompts of attempts, each made of its attempt and of the decision that is kept. */
export class SimulatedPrompts {
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
export function resultOf(engine: Engine, prompt: Prompt, now: Ms): LoginResult {
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

function toPerson(person: SimulatedPerson, scope: string): ReportedPerson {
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
    birthDate: person.birthDate,
  };
}

/** The person as after a signed result that contains an identifier and no names. */
function withoutNames({ birthDate: _unsaid, ...person }: ReportedPerson): Person {
  return { ...person, arabicName: '', englishName: '', email: null, gender: 'X' };
}

interface VersionedDecision {
  readonly past: PastDecision | null;
  readonly version: number;
}

const NOTHING: VersionedDecision = { past: null, version: 0 };

/**
 * How old the list of notes may be when the status of an attempt is read. Such decisions are rare,
 * and a read for each status would be half of what the status costs. Their results are late anyway.
 */
const LIST_AGE_MS: Ms = 250;

/**
 * Decisions whose result is not there yet, for example because it is signed ten seconds later. Any
 * instance may be asked for it then.
 */
class KeptDecisions {
  readonly #notes: SharedNotes;
  #listed: Promise<ReadonlyMap<string, VersionedDecision>> | null = null;
  #listedAt: Ms = 0;

  constructor(notes: SharedNotes) {
    this.#notes = notes;
  }

  async of(attemptId: AttemptId): Promise<VersionedDecision> {
    const note = await this.#notes.read('decision', attemptId);
    return note === null ? NOTHING : decisionIn(note);
  }

  /** As `of`, but it may miss what another instance wrote a moment ago. */
  async soonOf(attemptId: AttemptId, now: Ms): Promise<VersionedDecision> {
    const isOld = now < this.#listedAt || now >= this.#listedAt + LIST_AGE_MS;
    if (this.#listed === null || isOld) this.#list(now);
    const listed = await this.#listed;
    const kept = listed?.get(attemptId);
    if (kept !== undefined) return kept;
    // A full list may be without this one.
    return (listed?.size ?? 0) < MOST_NOTES ? NOTHING : this.of(attemptId);
  }

  /** False when another decision was kept meanwhile. */
  async keep(
    attemptId: AttemptId,
    { decision, named, at }: PastDecision,
    { replaces, keepMs }: { replaces: VersionedDecision; keepMs: Ms },
  ): Promise<boolean> {
    const text = JSON.stringify([decision, named, at]);
    const note = { room: 'decision', name: attemptId, text, keepMs } as const;
    const isKept = await this.#notes.write({ ...note, replaces: replaces.version });
    this.#listed = null;
    return isKept;
  }

  #list(now: Ms): void {
    const listed = this.#notes
      .list('decision')
      .then((notes) => new Map(notes.map((note) => [note.name, decisionIn(note)])));
    // The next status read tries again.
    listed.catch(() => {
      if (this.#listed === listed) this.#listed = null;
    });
    this.#listed = listed;
    this.#listedAt = now;
  }
}

function decisionIn({ text, version }: Note): VersionedDecision {
  const parts: unknown = JSON.parse(text);
  const values: readonly unknown[] = Array.isArray(parts) ? parts : [];
  const [decision, named, at] = values;
  const known = DECISIONS.find((one) => one === decision);
  if (known === undefined || typeof at !== 'number') throw new Error('a note is no decision');
  return {
    past: { decision: known, named: typeof named === 'string' ? named : null, at },
    version,
  };
}
