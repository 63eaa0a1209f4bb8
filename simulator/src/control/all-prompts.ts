import type { Engine } from '../engine/engine.ts';
import type { Wanted } from '../engine/prompt-shelf.ts';
import { promptOfRequest } from '../engine/prompt-of-request.ts';
import type { Prompt } from '../engine/prompts.ts';
import type { DecisionRequest } from '../engine/requests.ts';
import type { DecisionResult } from '../engine/results.ts';
import type { HostedPrompts, Origin, Reach, WatchedAttempts } from '../options.ts';

/** A prompt, and what the service in this process knows of its sign-in. */
export type ShownPrompt = Prompt & Origin;

const NOWHERE: Origin = { application: null, place: null };

interface Service {
  readonly hosted: HostedPrompts | null;
  readonly attempts: WatchedAttempts | null;
}

/** The prompts of area B, and those of a service in the same process. */
export class AllPrompts {
  readonly #engine: Engine;
  readonly #hosted: HostedPrompts | null;
  readonly #attempts: WatchedAttempts | null;

  constructor(engine: Engine, { hosted, attempts }: Service) {
    this.#engine = engine;
    this.#hosted = hosted;
    this.#attempts = attempts;
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
    return (await this.#hosted?.find(id, scope, this.#engine.now())) ?? null;
  }

  async #shown(prompt: Prompt): Promise<ShownPrompt> {
    const { requestId, scope } = prompt;
    return { ...prompt, ...((await this.#attempts?.originOf(requestId, scope)) ?? NOWHERE) };
  }

  /** Drops all that the scope has of its own. @returns how many prompts are ignored from now on */
  async reset(scope: string): Promise<number> {
    this.#engine.reset(scope);
    const waiting = await this.#waiting({ scope, requestId: null }, 'all');
    for (const { id } of waiting) await this.decide({ promptId: id, scope, decision: 'ignore' });
    return waiting.length;
  }

  async decide(request: DecisionRequest): Promise<DecisionResult> {
    const now = this.#engine.now();
    const isOwn = this.#hosted === null || this.#engine.prompt(request.promptId) !== null;
    return isOwn ? this.#engine.decide(request, now) : this.#hosted.decide(request, now);
  }
}
