import { isAsIssued, stageOf, type AuthorizeQuery, type SignInStage } from './authorize.ts';
import type { TokenPlan } from './claims/token-plan.ts';
import { Directory } from './directory.ts';
import { makeRecord, type ErrorRecord, type RecordName } from './error-records.ts';
import { makePush, makeRedirect } from './make-prompt.ts';
import { outcomeFor } from './outcomes.ts';
import type { People } from './people.ts';
import type { Clock, Ms, Random, ReferenceBlocks } from './ports.ts';
import { PromptShelf } from './prompt-shelf.ts';
import {
  CHANNELS,
  decide,
  stateOf,
  type Channel,
  type Prompt,
  type PromptEnd,
  type PromptKind,
  type PromptState,
  type PushPrompt,
  type RedirectPrompt,
} from './prompts.ts';
import { accepted, faultyAnswer, matches, statusOf } from './push.ts';
import { References } from './references.ts';
import type * as Requests from './requests.ts';
import { effectOn, resultOf, type SignInResult } from './result.ts';
import type {
  DecisionResult,
  ExchangeResult,
  PushAccepted,
  PushResult,
  RecordRefusal,
  SessionResult,
  StatusResult,
} from './results.ts';
import { authorizationFor, hashState } from './session.ts';
import type { EngineSettings } from './settings.ts';
import { TokenIssuer } from './token-issuer.ts';

export interface EngineParts {
  readonly settings: EngineSettings;
  readonly people: People;
  readonly clock: Clock;
  readonly random: Random;
  readonly references: ReferenceBlocks;
}

/** A sign-in by browser and its stage. */
export interface SignIn {
  readonly prompt: RedirectPrompt;
  readonly stage: SignInStage;
}

/**
 * The provider's logic without HTTP. A method reads the clock at most once, and not at all if the
 * caller gives the time.
 */
export class Engine {
  readonly settings: EngineSettings;
  readonly directory: Directory;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #references: References;
  /** One shelf per channel, so that neither channel's prompts can displace the other's. */
  readonly #shelves: Readonly<Record<Channel, PromptShelf>>;
  readonly #tokens: TokenIssuer;
  readonly #watchers: Array<(prompt: Prompt) => void> = [];

  constructor({ settings, people, clock, random, references }: EngineParts) {
    this.settings = settings;
    this.directory = new Directory(people);
    this.#clock = clock;
    this.#random = random;
    this.#references = new References(references);
    const { promptLimit } = settings;
    this.#shelves = { wire: new PromptShelf(promptLimit), process: new PromptShelf(promptLimit) };
    this.#tokens = new TokenIssuer(settings, this.directory, random);
  }

  now(): Ms {
    return this.#clock.now();
  }

  /** Calls `watcher` for each new prompt, and again after somebody decided or ignored it. */
  watch(watcher: (prompt: Prompt) => void): void {
    this.#watchers.push(watcher);
  }

  /** Sends a prompt to the person's phone. */
  createPush(
    request: Requests.PushRequest,
    options: Requests.PushOptions = {},
    now: Ms = this.#clock.now(),
  ): PushResult {
    const service = this.settings.services.get(request.service);
    if (service === undefined) return this.#refuse('invalidRequest');
    const sendPrompt = () => this.#askForPush(request, options, service.answerMs, now);
    const effect = outcomeFor(request.nationalId)?.effect;
    if (effect?.on !== 'answer') return sendPrompt();
    return faultyAnswer(effect.fault, { sendPrompt, refuse: (record) => this.#refuse(record) });
  }

  /**
   * All three values must belong to the same push, so that guessing a part of them reveals nothing.
   */
  pushStatus(query: Requests.StatusQuery, now: Ms = this.#clock.now()): StatusResult {
    const prompt = this.#shelves.wire.byTransaction(query.transactionId);
    if (prompt === null || !matches(prompt, query)) return this.#refuse('transactionNotFound');
    const status = statusOf(prompt, now);
    const long = now >= prompt.expiresAt + this.settings.expiredStatusMs;
    if (status === 'EXPIRED' && long) return this.#refuse('transactionExpired');
    return { ok: true, status };
  }

  /** Opens a sign-in by browser. Each call opens a new one, even with the same `requestId`. */
  createSession(request: Requests.SessionRequest, now: Ms = this.#clock.now()): SessionResult {
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
    const prompt = this.#add(
      makeRedirect('wire', wanted, { hashedState, nonce }, this.directory, this.#random),
      now,
    );
    const session = { id: null, url, hashedState, requestId };
    return { ok: true, session, promptId: prompt.id, expiresAt };
  }

  /**
   * The prompt of a request. It is made again if this process does not have it any more. The
   * planned end of a reserved outcome follows from the request, so it is the same again; a decision
   * is lost.
   */
  ensurePrompt(request: Requests.PromptRequest, now: Ms = this.#clock.now()): Prompt {
    const known = this.#shelves.process.byRequest(request.kind, request.requestId);
    if (known !== null) return known;
    if (request.kind === 'push') return this.#pushPrompt('process', request, now);
    return this.#add(makeRedirect('process', request, null, this.directory, this.#random), now);
  }

  /** The sign-in for an authorization page's address; null if the address was not issued here. */
  authorize(query: AuthorizeQuery, now: Ms = this.#clock.now()): SignIn | null {
    const found = this.signIn(query.state, now);
    return found !== null && isAsIssued(query, found.prompt, this.settings) ? found : null;
  }

  signIn(state: string, now: Ms = this.#clock.now()): SignIn | null {
    const prompt = this.#shelves.wire.bySession(hashState(state));
    return prompt === null ? null : { prompt, stage: stageOf(prompt, this.settings, now) };
  }

  /** Exchanges a state: only after the approval, and only once. */
  exchange(state: string, now: Ms = this.#clock.now()): ExchangeResult {
    const found = this.signIn(state, now);
    const end = found === null ? null : found.prompt.decided;
    if (found?.stage !== 'approved' || end?.state !== 'approved') {
      return this.#refuse('stateNotRedeemable');
    }
    this.#shelves.wire.replace({ ...found.prompt, exchanged: true });
    return { ok: true, token: this.#tokens.idToken(found.prompt, end, effectOn(end).flaw, now) };
  }

  /**
   * The token that the authorization page posts to the provider's callback. It never has a flaw.
   */
  pageToken(prompt: RedirectPrompt, now: Ms = this.#clock.now()): TokenPlan | null {
    const { decided } = prompt;
    if (decided?.state !== 'approved') return null;
    return this.#tokens.idToken(prompt, decided, null, now);
  }

  /** The signed result that is sent to the relying party when a push has ended. */
  pushToken(prompt: PushPrompt, end: PromptEnd, now: Ms = this.#clock.now()): TokenPlan {
    return this.#tokens.pushToken(prompt, end, now);
  }

  /** The result that a careful relying party would get, for a service in this process. */
  resultOf(prompt: Prompt, now: Ms = this.#clock.now()): SignInResult {
    return resultOf(prompt, now, this.directory, this.settings.services);
  }

  stateOf(prompt: Prompt, now: Ms = this.#clock.now()): PromptState {
    return stateOf(prompt, now);
  }

  /** The current version of a prompt: prompts are values, and a decision makes a new one. */
  prompt(id: string): Prompt | null {
    return this.#shelves.process.byId(id) ?? this.#shelves.wire.byId(id);
  }

  /** The newest prompt of this kind for a request of the wire channel. */
  promptFor(kind: PromptKind, requestId: string): Prompt | null {
    return this.#shelves.wire.byRequest(kind, requestId);
  }

  /** The prompts that wait for a person, oldest first; of one request, or of all. */
  prompts(requestId: string | null = null, now: Ms = this.#clock.now()): readonly Prompt[] {
    return CHANNELS.flatMap((channel) => this.#shelves[channel].listed(now, requestId)).toSorted(
      (one, other) => one.createdAt - other.createdAt,
    );
  }

  decide(request: Requests.DecisionRequest, now: Ms = this.#clock.now()): DecisionResult {
    const { promptId, decision, personId } = request;
    const prompt = this.prompt(promptId);
    if (prompt === null) return { ok: false, reason: 'unknown_prompt' };
    const person = personId === undefined ? null : this.directory.byId(personId);
    if (personId !== undefined && person === null) return { ok: false, reason: 'unknown_person' };
    const decided = decide(prompt, decision, person, now);
    if (!decided.ok) return decided;
    this.#shelves[prompt.channel].replace(decided.prompt);
    this.#show(decided.prompt);
    return decided;
  }

  /** An error record with a new reference, for code that checks requests before the engine does. */
  record(name: RecordName): ErrorRecord {
    return makeRecord(name, this.#references);
  }

  #refuse(name: RecordName): RecordRefusal {
    return { ok: false, kind: 'record', record: this.record(name) };
  }

  #askForPush(
    request: Requests.PushRequest,
    options: Requests.PushOptions,
    answerMs: Ms,
    now: Ms,
  ): PushAccepted | RecordRefusal {
    const refusal = this.#refusalOf(request, options, now);
    if (refusal !== null) return this.#refuse(refusal);
    const codeLength = options.codeLength ?? this.settings.bindingCodeLength;
    const prompt = this.#pushPrompt(options.channel ?? 'wire', {
      ...request,
      kind: 'push',
      bindingCode: this.#random.digits(codeLength),
      createdAt: now,
      expiresAt: now + (options.lifetimeMs ?? answerMs),
    });
    return accepted(prompt);
  }

  #refusalOf(
    request: Requests.PushRequest,
    options: Requests.PushOptions,
    now: Ms,
  ): RecordName | null {
    const { unlisted = 'refuse', oneActive = this.settings.oneActive, channel = 'wire' } = options;
    const { nationalId } = request;
    if (unlisted === 'refuse' && this.directory.byNationalId(nationalId) === null) {
      return 'recordNotFound';
    }
    const newest = oneActive ? this.#shelves[channel].byNationalId(nationalId) : null;
    const active = newest !== null && stateOf(newest, now).state === 'waiting';
    return active ? 'activeTransaction' : null;
  }

  #pushPrompt(channel: Channel, request: Requests.PushPromptRequest, now: Ms = request.createdAt) {
    return this.#add(makePush(channel, request, this.directory, this.#random), now);
  }

  #add<Kind extends Prompt>(prompt: Kind, now: Ms): Kind {
    this.#shelves[prompt.channel].add(prompt, now);
    this.#show(prompt);
    return prompt;
  }

  #show(prompt: Prompt): void {
    for (const watcher of this.#watchers) watcher(prompt);
  }
}
