import { Directory } from './directory.ts';
import { makeRecord, type ErrorRecord, type RecordName } from './error-records.ts';
import { makePush, makeRedirect } from './make-prompt.ts';
import { outcomeFor } from './outcomes.ts';
import type { People } from './people.ts';
import type { Clock, Ms, Random, ReferenceBlocks } from './ports.ts';
import { PromptShelf } from './prompt-shelf.ts';
import { decide, stateOf, type Prompt, type PromptKind, type PromptState } from './prompts.ts';
import { accepted, lost, matches, statusOf } from './push.ts';
import { References } from './references.ts';
import type * as Asked from './requests.ts';
import type {
  DecisionResult,
  PushResult,
  RecordRefusal,
  SessionResult,
  StatusResult,
} from './results.ts';
import { authorizationFor } from './session.ts';
import type { EngineSettings } from './settings.ts';

export interface EngineParts {
  readonly settings: EngineSettings;
  readonly people: People;
  readonly clock: Clock;
  readonly random: Random;
  readonly references: ReferenceBlocks;
}

/**
 * The provider without its wires. A method reads the clock once at most, and not at all when the
 * caller, who may have read it already, says what time it is.
 */
export class Engine {
  readonly settings: EngineSettings;
  readonly directory: Directory;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #references: References;
  readonly #shelf: PromptShelf;

  constructor({ settings, people, clock, random, references }: EngineParts) {
    this.settings = settings;
    this.directory = new Directory(people);
    this.#clock = clock;
    this.#random = random;
    this.#references = new References(references);
    this.#shelf = new PromptShelf(settings.promptLimit);
  }

  /** Asks the person on the phone. */
  createPush(
    request: Asked.PushRequest,
    options: Asked.PushOptions = {},
    now: Ms = this.#clock.now(),
  ): PushResult {
    const serviceLifetime = this.settings.services.get(request.service);
    if (serviceLifetime === undefined) return this.#refuse('invalidRequest');
    const effect = outcomeFor(request.nationalId)?.effect;
    const fault = effect?.on === 'answer' ? effect.fault : null;
    if (fault?.kind === 'record') return this.#refuse(fault.record);
    if (fault?.kind === 'gateway' || fault?.kind === 'outage') return { ok: false, ...fault };
    const refusal = this.#refusalOf(request, options, now);
    if (refusal !== null) return this.#refuse(refusal);

    const codeLength = options.codeLength ?? this.settings.bindingCodeLength;
    const prompt = this.#pushPrompt({
      ...request,
      kind: 'push',
      bindingCode: this.#random.digits(codeLength),
      createdAt: now,
      expiresAt: now + (options.lifetimeMs ?? serviceLifetime),
    });
    return fault === null ? accepted(prompt) : lost(fault, accepted(prompt));
  }

  /** All three members must be those of one push: a guesser learns nothing from a part. */
  pushStatus(query: Asked.StatusQuery, now: Ms = this.#clock.now()): StatusResult {
    const prompt = this.#shelf.byTransaction(query.transactionId);
    if (prompt === null || !matches(prompt, query)) return this.#refuse('transactionNotFound');
    const status = statusOf(prompt, now);
    const long = now >= prompt.expiresAt + this.settings.expiredStatusMs;
    if (status === 'EXPIRED' && long) return this.#refuse('transactionExpired');
    return { ok: true, status };
  }

  /** Opens a sign-in by browser. Each call is a new one, whatever its `requestId`. */
  createSession(request: Asked.SessionRequest, now: Ms = this.#clock.now()): SessionResult {
    const { requestId, locale } = request;
    const { sessionService: service, sessionLifetimeMs } = this.settings;
    const { url, hashedState, nonce } = authorizationFor(locale, this.settings, this.#random, now);
    const expiresAt = now + sessionLifetimeMs;
    const wanted = {
      kind: 'redirect',
      requestId,
      locale,
      service,
      createdAt: now,
      expiresAt,
    } as const;
    const prompt = makeRedirect(wanted, { hashedState, nonce }, this.directory, this.#random);
    this.#shelf.add(prompt, now);
    const session = { id: null, url, hashedState, requestId };
    return { ok: true, session, promptId: prompt.id, expiresAt };
  }

  /**
   * The prompt of a request, made anew when this process never had it or has dropped it. What a
   * reserved outcome does follows from the request, so it survives; a decision does not.
   */
  ensurePrompt(request: Asked.PromptRequest, now: Ms = this.#clock.now()): Prompt {
    const known = this.#shelf.byRequest(request.kind, request.requestId);
    if (known !== null) return known;
    if (request.kind === 'push') return this.#pushPrompt(request, now);
    const prompt = makeRedirect(request, null, this.directory, this.#random);
    this.#shelf.add(prompt, now);
    return prompt;
  }

  stateOf(prompt: Prompt, now: Ms = this.#clock.now()): PromptState {
    return stateOf(prompt, now);
  }

  /** As it is now: prompts are values, and a decision makes a new one. */
  prompt(id: string): Prompt | null {
    return this.#shelf.byId(id);
  }

  /** The newest prompt of this kind for the request. */
  promptFor(kind: PromptKind, requestId: string): Prompt | null {
    return this.#shelf.byRequest(kind, requestId);
  }

  /** What waits for a person, oldest first; for one request, or all of it. */
  prompts(requestId: string | null = null, now: Ms = this.#clock.now()): readonly Prompt[] {
    return this.#shelf.listed(now, requestId);
  }

  decide(request: Asked.DecisionRequest, now: Ms = this.#clock.now()): DecisionResult {
    const { promptId, decision, personId } = request;
    const prompt = this.#shelf.byId(promptId);
    if (prompt === null) return { ok: false, reason: 'unknown_prompt' };
    const person = personId === undefined ? null : this.directory.byId(personId);
    if (personId !== undefined && person === null) return { ok: false, reason: 'unknown_person' };
    const decided = decide(prompt, decision, person, now);
    if (decided.ok) this.#shelf.replace(decided.prompt);
    return decided;
  }

  /** A record with a reference of its own, for whoever checks a request before the engine does. */
  record(name: RecordName): ErrorRecord {
    return makeRecord(name, this.#references);
  }

  #refuse(name: RecordName): RecordRefusal {
    return { ok: false, kind: 'record', record: this.record(name) };
  }

  #refusalOf(request: Asked.PushRequest, options: Asked.PushOptions, now: Ms): RecordName | null {
    const { unlisted = 'refuse', oneActive = true } = options;
    const { nationalId } = request;
    if (unlisted === 'refuse' && this.directory.byNationalId(nationalId) === null) {
      return 'recordNotFound';
    }
    const newest = oneActive ? this.#shelf.byNationalId(nationalId) : null;
    const active = newest !== null && stateOf(newest, now).state === 'waiting';
    return active ? 'activeTransaction' : null;
  }

  #pushPrompt(request: Asked.PushPromptRequest, now: Ms = request.createdAt) {
    const prompt = makePush(request, this.directory, this.#random);
    this.#shelf.add(prompt, now);
    return prompt;
  }
}
