import { isAsIssued, stageOf, type AuthorizeQuery, type SignIn } from './prompts/authorize.ts';
import type { TokenPlan } from './claims/token-plan.ts';
import { type Directory, askedAtStart, askedNow, personNamed } from './people/directory.ts';
import { seedFrom } from './outcomes/faults.ts';
import { makeRecord, type ErrorRecord, type RecordName } from './error-records.ts';
import {
  makePush,
  makeRedirect,
  requestedOutcome,
  effectOn,
  resultOf,
  type SignInResult,
} from './outcomes/outcome-of.ts';
import type { People } from './people/people.ts';
import type { Clock, Ms, Random, ReferenceBlocks } from './ports.ts';
import { PromptShelf, type Wanted } from './prompts/prompt-shelf.ts';
import {
  decide,
  isListed,
  stateOf,
  type Prompt,
  type PromptEnd,
  type PromptKind,
  type PromptState,
  type PushPrompt,
  type RedirectPrompt,
} from './prompts/prompts.ts';
import { accepted, faultyAnswer, matches, refusalOf, statusOf } from './prompts/push.ts';
import { References } from './references.ts';
import type * as Requests from './requests.ts';
import type {
  DecisionResult,
  ExchangeResult,
  PushAccepted,
  PushResult,
  RecordRefusal,
  SessionResult,
  StatusResult,
} from './results.ts';
import { authorizationFor, hashState } from './prompts/session.ts';
import { DEFAULT_SCOPE } from './scenario.ts';
import { NextOutcomes, scopeOf, Scopes } from './scopes.ts';
import type { EngineSettings } from './settings.ts';
import { findService } from './services.ts';
import { TokenIssuer } from './claims/token-issuer.ts';

export interface EngineParts {
  readonly settings: EngineSettings;
  readonly people: People;
  readonly clock: Clock;
  readonly random: Random;
  readonly references: ReferenceBlocks;
}

/**
 * The provider's logic without HTTP. A method reads the clock at most once, and not at all if the
 * caller gives the time.
 */
export class Engine {
  readonly settings: EngineSettings;
  readonly scopes: Scopes;
  readonly next: NextOutcomes;
  readonly newSeed = (): number => seedFrom(this.#random);
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #references: References;
  readonly #shelf: PromptShelf;
  readonly #tokens: TokenIssuer;
  readonly #watchers: Array<(prompt: Prompt) => void> = [];

  constructor({ settings, people, clock, random, references }: EngineParts) {
    this.settings = settings;
    this.scopes = new Scopes(people);
    this.next = new NextOutcomes(this.scopes);
    this.#clock = clock;
    this.#random = random;
    this.#references = new References(references);
    this.#shelf = new PromptShelf(settings.promptLimit);
    this.#tokens = new TokenIssuer(settings, this.scopes, random);
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
    const service = findService(this.settings.services, request.service);
    if (service === null) return this.#refuse('invalidRequest');
    const asked = { ...request, scenario: this.next.choose(request, 'push') };
    const sendPrompt = () => this.#askForPush(asked, options, service.answerMs, now);
    const effect = requestedOutcome(asked).outcome?.effect;
    if (effect?.on !== 'answer') return sendPrompt();
    return faultyAnswer(effect.fault, { sendPrompt, refuse: (record) => this.#refuse(record) });
  }

  /**
   * All three values must belong to the same push, so that guessing a part of them reveals nothing.
   */
  pushStatus(query: Requests.StatusQuery, now: Ms = this.#clock.now()): StatusResult {
    const prompt = this.#shelf.byTransaction(query.transactionId);
    if (prompt === null || !matches(prompt, query)) return this.#refuse('transactionNotFound');
    const status = statusOf(prompt, now);
    const long = now >= prompt.expiresAt + this.settings.expiredStatusMs;
    if (status === 'EXPIRED' && long) return this.#refuse('transactionExpired');
    return { ok: true, status };
  }

  promptOfTransaction(transactionId: string): PushPrompt | null {
    return this.#shelf.byTransaction(transactionId);
  }

  /** Opens a sign-in by browser. Each call opens a new one, even with the same `requestId`. */
  createSession(request: Requests.SessionRequest, now: Ms = this.#clock.now()): SessionResult {
    const { requestId, locale } = request;
    const { sessionService: service, sessionLifetimeMs } = this.settings;
    const { url, hashedState, nonce } = authorizationFor(locale, this.settings, this.#random, now);
    const expiresAt = now + sessionLifetimeMs;
    const times = { createdAt: now, expiresAt };
    const wanted = { ...request, kind: 'redirect', service, ...times } as const;
    const id = this.#random.uuid();
    const asked = askedNow(null, this.#directoryOf(scopeOf(request)));
    const prompt = this.#add(makeRedirect(id, wanted, { hashedState, nonce }, asked), now);
    const session = { id: null, url, hashedState, requestId };
    return { ok: true, session, promptId: prompt.id, expiresAt };
  }

  /**
   * The prompt of a request that the caller keeps. It has the id of the request, and is the same
   * each time: the end that a reserved outcome plans follows from the request too. A caller from
   * the network can't reach it, whatever ids it sends.
   */
  promptOf(request: Requests.PromptRequest, past: Requests.PastDecision | null = null): Prompt {
    const { requestId: id } = request;
    const directory = this.#directoryOf(scopeOf(request));
    const number = request.kind === 'push' ? request.nationalId : null;
    const asked = askedAtStart(number, request.keptSigner ?? null, directory);
    const prompt =
      request.kind === 'push'
        ? makePush({ id, transactionId: id }, request, asked)
        : makeRedirect(id, request, null, asked);
    if (past === null) return prompt;
    const person = personNamed(past.named ?? null, directory);
    const decided = decide(prompt, past.decision, person, past.at);
    return decided.ok ? decided.prompt : prompt;
  }

  /** The sign-in for an authorization page's address; null if the address was not issued here. */
  authorize(query: AuthorizeQuery, now: Ms = this.#clock.now()): SignIn | null {
    const found = this.signIn(query.state, now);
    return found !== null && isAsIssued(query, found.prompt, this.settings) ? found : null;
  }

  signIn(state: string, now: Ms = this.#clock.now()): SignIn | null {
    const prompt = this.#shelf.bySession(hashState(state));
    return prompt === null ? null : { prompt, stage: stageOf(prompt, this.settings, now) };
  }

  /** Exchanges a state: only after the approval, and only once. */
  exchange(state: string, now: Ms = this.#clock.now()): ExchangeResult {
    const found = this.signIn(state, now);
    const end = found === null ? null : found.prompt.decided;
    if (found?.stage !== 'approved' || end?.state !== 'approved') {
      return this.#refuse('stateNotRedeemable');
    }
    this.#shelf.replace({ ...found.prompt, exchanged: true });
    const { flaw } = effectOn(found.prompt, end);
    return { ok: true, token: this.#tokens.idToken(found.prompt, end, flaw, now) };
  }

  /** The token that the sign-in page posts to the provider's callback. It never has a flaw. */
  pageToken(prompt: RedirectPrompt, now: Ms = this.#clock.now()): TokenPlan | null {
    const { decided: end } = prompt;
    return end?.state === 'approved' ? this.#tokens.idToken(prompt, end, null, now) : null;
  }

  /** The signed result that is sent to the relying party when a push has ended. */
  pushToken(prompt: PushPrompt, end: PromptEnd, now: Ms = this.#clock.now()): TokenPlan {
    return this.#tokens.pushToken(prompt, end, now);
  }

  /** The result that a careful relying party would get, for a service in this process. */
  resultOf(prompt: Prompt, now: Ms = this.#clock.now()): SignInResult {
    return resultOf(prompt, now, this.#directoryOf(prompt.scope), this.settings);
  }

  stateOf(prompt: Prompt, now: Ms = this.#clock.now()): PromptState {
    return stateOf(prompt, now);
  }

  /** Whether a person would see it: it is still waiting and was not ignored. */
  isListed(prompt: Prompt, now: Ms = this.#clock.now()): boolean {
    return isListed(prompt, now);
  }

  /** The current version of a prompt: prompts are values, and a decision makes a new one. */
  prompt(id: string): Prompt | null {
    return this.#shelf.byId(id);
  }

  /** The newest prompt of this kind for a request. */
  promptFor(kind: PromptKind, requestId: string, scope = DEFAULT_SCOPE): Prompt | null {
    return this.#shelf.byRequest({ kind, requestId, scope });
  }

  /** The prompts of a scope that wait for a person, oldest first; of one request, or of all. */
  prompts(
    { requestId = null, scope = DEFAULT_SCOPE }: Partial<Wanted> = {},
    now: Ms = this.#clock.now(),
  ): readonly Prompt[] {
    return this.#shelf.listed(now, { requestId, scope });
  }

  decide(request: Requests.DecisionRequest, now: Ms = this.#clock.now()): DecisionResult {
    const { promptId, scope } = request;
    const prompt = this.prompt(promptId);
    const isForeign = scope !== undefined && scope !== prompt?.scope;
    if (prompt === null || isForeign) return { ok: false, reason: 'unknown_prompt' };
    const decided = this.decideOn(prompt, request, now);
    if (!decided.ok) return decided;
    this.#shelf.replace(decided.prompt);
    this.#show(decided.prompt);
    return decided;
  }

  /** Takes back what waits for the person of a request, as if its time were over. */
  withdraw(requestId: string, scope: string, now: Ms = this.#clock.now()): void {
    for (const prompt of this.#shelf.withdraw({ scope, requestId }, now)) this.#show(prompt);
  }

  /** What a decision makes of a prompt. It changes nothing that the engine keeps. */
  decideOn(prompt: Prompt, choice: Requests.DecisionChoice, at: Ms): DecisionResult {
    const { decision, personId } = choice;
    const directory = this.#directoryOf(prompt.scope);
    const person = personId === undefined ? null : directory.byId(personId);
    if (personId !== undefined && person === null) return { ok: false, reason: 'unknown_person' };
    return decide(prompt, decision, person, at);
  }

  /** Drops all that the scope has of its own, and lets its people be asked again. */
  reset(scope: string): void {
    this.scopes.reset(scope);
    this.#shelf.freePeople(scope);
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
    const scope = scopeOf(request);
    const directory = this.#directoryOf(scope);
    const { nationalId } = request;
    const newest = this.#shelf.byPerson({ scope, nationalId });
    const rules = { unlisted: 'refuse', oneActive: this.settings.oneActive, ...options } as const;
    const refusal = refusalOf(nationalId, rules, { directory, newest, now });
    if (refusal !== null) return this.#refuse(refusal);
    const codeLength = options.codeLength ?? this.settings.bindingCodeLength;
    const wanted = {
      ...request,
      kind: 'push',
      bindingCode: this.#random.digits(codeLength),
      createdAt: now,
      expiresAt: now + (options.lifetimeMs ?? answerMs),
    } as const;
    const ids = { id: this.#random.uuid(), transactionId: this.#random.uuid() };
    const prompt = makePush(ids, wanted, askedNow(nationalId, directory));
    return accepted(options.isKept === false ? prompt : this.#add(prompt, now));
  }

  #directoryOf(scope: string): Directory {
    return this.scopes.of(scope).directory;
  }

  #add<Kind extends Prompt>(prompt: Kind, now: Ms): Kind {
    this.#shelf.add(prompt, now);
    this.#show(prompt);
    return prompt;
  }

  #show(prompt: Prompt): void {
    for (const watcher of this.#watchers) watcher(prompt);
  }
}
