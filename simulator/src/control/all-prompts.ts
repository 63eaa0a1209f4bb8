import type { Static } from '@miftah/schema';
import type { Engine } from '../engine/engine.ts';
import type { Wanted } from '../engine/prompts/prompt-shelf.ts';
import { promptOfRequest } from '../engine/prompts/prompt-of-request.ts';
import type { Prompt } from '../engine/prompts/prompts.ts';
import type { DecisionRequest } from '../engine/requests.ts';
import type { DecisionResult } from '../engine/results.ts';
import type { Journal } from '../journal/journal.ts';
import type { HostedAttempts, HostedPrompts, Reach, SignInOrigin } from '../hosted.ts';
import { personText, type PersonText } from './person-text.ts';

/** A prompt, and what the service in this process knows of its sign-in. */
export type ShownPrompt = Prompt &
  SignInOrigin & {
    /** Who has the number that a push is for, if that is somebody of the scope. */
    readonly person: Static<typeof PersonText>;
    /**
     * Whether somebody sees it: a push on the phone, or a sign-in page that a browser has opened. Of a
     * page it is false where calls are not recorded (`TIME_LINES=off`).
     */
    readonly shown: boolean;
  };

const NOWHERE: SignInOrigin = { application: null, place: null };

interface Parts {
  readonly hosted: HostedPrompts | null;
  readonly attempts: HostedAttempts | null;
  readonly journal: Journal;
}

/** The prompts of area B, and those of a service in the same process. */
export class AllPrompts {
  readonly #engine: Engine;
  readonly #hosted: HostedPrompts | null;
  readonly #attempts: HostedAttempts | null;
  readonly #journal: Journal;

  constructor(engine: Engine, { hosted, attempts, journal }: Parts) {
    this.#engine = engine;
    this.#hosted = hosted;
    this.#attempts = attempts;
    this.#journal = journal;
  }

  /** The prompts of a scope that wait for a person, oldest first; of one request, or of all. */
  async waiting(wanted: Wanted): Promise<readonly ShownPrompt[]> {
    const found = await this.#waiting(wanted, 'newest');
    return Promise.all(found.map((one) => this.#shown(one)));
  }

  async #waiting(wanted: Wanted, reach: Reach): Promise<readonly Prompt[]> {
    const now = this.#engine.now();
    const own = this.#engine.prompts(wanted, now);
    const hosted = (await this.#hosted?.waiting(wanted, now, reach)) ?? [];
    return [...own, ...hosted].toSorted((one, other) => one.createdAt - other.createdAt);
  }

  /** The prompt of a request of a scope, in any state; the newest, if it has several. */
  async find(requestId: string, scope: string): Promise<Prompt | null> {
    const own = promptOfRequest(this.#engine, requestId, scope);
    if (own !== null) return own;
    return (await this.#hosted?.find(requestId, scope, this.#engine.now())) ?? null;
  }

  /** In any state; null for an unknown id, and for one of another scope. */
  async byId(id: string, scope: string): Promise<Prompt | null> {
    const own = this.#engine.prompt(id);
    if (own !== null) return own.scope === scope ? own : null;
    // The id of a hosted prompt is the id of its request.
    return (await this.#hosted?.find(id, scope, this.#engine.now())) ?? null;
  }

  async #shown(prompt: Prompt): Promise<ShownPrompt> {
    const { requestId, scope } = prompt;
    const origin = (await this.#attempts?.originOf(requestId, scope)) ?? NOWHERE;
    const nationalId = prompt.kind === 'push' ? prompt.nationalId : null;
    const person = personText(this.#engine, scope, nationalId);
    return { ...prompt, ...origin, person, shown: prompt.kind === 'push' || this.#isOpen(prompt) };
  }

  /**
   * In plain simulator mode the service shows the sign-in page, and its call is `launch`. In the other
   * modes the simulator shows it, and its call is `page`.
   */
  #isOpen({ requestId, scope }: Prompt): boolean {
    const [side, name] = this.#hosted === null ? ['browser', 'page'] : ['area_a', 'launch'];
    return this.#journal.has(requestId, scope, (one) => one.side === side && one.name === name);
  }

  /** Drops all that the scope has of its own. @returns how many prompts are ignored from now on */
  async reset(scope: string): Promise<number> {
    this.#engine.reset(scope);
    const waiting = await this.#waiting({ scope, requestId: null }, 'all');
    let ignored = 0;
    for (const { id } of waiting) {
      const result = await this.decide({ promptId: id, scope, decision: 'ignore' });
      if (result.ok) ignored += 1;
    }
    return ignored;
  }

  async decide(request: DecisionRequest): Promise<DecisionResult> {
    const now = this.#engine.now();
    const isOwn = this.#hosted === null || this.#engine.prompt(request.promptId) !== null;
    return isOwn ? this.#engine.decide(request, now) : this.#hosted.decide(request, now);
  }
}
