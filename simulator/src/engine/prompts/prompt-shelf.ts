import { plainId } from '@miftah/contract/uuid';
import type { Ms } from '../ports.ts';
import {
  endByItself,
  isListed,
  stateOf,
  type Prompt,
  type PushPrompt,
  type RedirectPrompt,
} from './prompts.ts';

/** One sweep frees this fraction of the shelf, so that not every new prompt needs a sweep. */
const SWEEP_SHARE = 16;

/** Of one request, or of all. */
export interface Wanted {
  readonly scope: string;
  readonly requestId: string | null;
}

type AskedBy = Pick<Prompt, 'kind' | 'scope' | 'requestId'>;

/**
 * The prompts of one process, limited in number. When it is full, ended prompts are removed first,
 * then the oldest. A waiting prompt that was removed can be made again from its request.
 */
export class PromptShelf {
  readonly #limit: number;
  readonly #byId = new Map<string, Prompt>();
  readonly #byRequest = new Map<string, string>();
  readonly #byTransaction = new Map<string, string>();
  readonly #bySession = new Map<string, string>();
  readonly #byPerson = new Map<string, string>();
  /**
   * One iterator for all removals, because it continues where it stopped. A new one would walk over
   * every deleted entry that the Map still holds, thousands of them on a full shelf.
   */
  #oldest = this.#byId.values();
  /** No prompt on the shelf ends before this time, so a sweep before it would find nothing. */
  #firstEnd: Ms = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#byId.size;
  }

  add(prompt: Prompt, now: Ms): void {
    if (this.#byId.size >= this.#limit) this.#makeRoom(now);
    this.#byId.set(prompt.id, prompt);
    this.#byRequest.set(requestKey(prompt), prompt.id);
    this.#firstEnd = Math.min(this.#firstEnd, endOf(prompt));
    if (prompt.kind === 'redirect') {
      if (prompt.session !== null) this.#bySession.set(prompt.session.hashedState, prompt.id);
      return;
    }
    this.#byTransaction.set(prompt.transactionId, prompt.id);
    this.#byPerson.set(personKey(prompt), prompt.id);
  }

  replace(prompt: Prompt): void {
    this.#byId.set(prompt.id, prompt);
    this.#firstEnd = Math.min(this.#firstEnd, endOf(prompt));
  }

  byId(id: string): Prompt | null {
    return this.#byId.get(id) ?? null;
  }

  /** The newest prompt of this kind for the request. */
  byRequest(request: AskedBy): Prompt | null {
    return this.#at(this.#byRequest.get(requestKey(request)));
  }

  byTransaction(transactionId: string): PushPrompt | null {
    return pushOnly(this.#at(this.#byTransaction.get(plainId(transactionId))));
  }

  /** The prompt of a session, by the hash of its state. */
  bySession(hashedState: string): RedirectPrompt | null {
    const prompt = this.#at(this.#bySession.get(hashedState));
    return prompt?.kind === 'redirect' ? prompt : null;
  }

  /** The newest push to the person. */
  byPerson(person: Pick<PushPrompt, 'scope' | 'nationalId'>): PushPrompt | null {
    return pushOnly(this.#at(this.#byPerson.get(personKey(person))));
  }

  /** The prompts of a scope that wait for a person, oldest first; of one request, or of all. */
  listed(now: Ms, { scope, requestId }: Wanted): readonly Prompt[] {
    return [...this.#byId.values()].filter(
      (prompt) =>
        prompt.scope === scope &&
        (requestId === null || plainId(prompt.requestId) === plainId(requestId)) &&
        isListed(prompt, now),
    );
  }

  /** Ends what waits for the person of a request, also what they ignore. @returns it as it is then */
  withdraw({ scope, requestId }: Wanted & { readonly requestId: string }, now: Ms): Prompt[] {
    const waiting = [...this.#byId.values()].filter(
      (prompt) =>
        prompt.scope === scope &&
        plainId(prompt.requestId) === plainId(requestId) &&
        stateOf(prompt, now).state === 'waiting',
    );
    const ended = waiting.map((prompt) => ({
      ...prompt,
      decided: { state: 'expired', at: now } as const,
    }));
    for (const prompt of ended) this.replace(prompt);
    return ended;
  }

  /** The people of this scope can be asked again, whatever still waits for them. */
  freePeople(scope: string): void {
    for (const key of this.#byPerson.keys()) {
      if (key.startsWith(`${scope} `)) this.#byPerson.delete(key);
    }
  }

  #at(id: string | undefined): Prompt | null {
    return id === undefined ? null : this.byId(id);
  }

  #makeRoom(now: Ms): void {
    const ended = now < this.#firstEnd ? [] : this.#endedFirst(now);
    const leaving = ended.length > 0 ? ended : this.#takeOldest();
    for (const prompt of leaving) this.#remove(prompt);
  }

  #takeOldest(): readonly Prompt[] {
    const oldest = this.#oldest.next();
    return oldest.done === true ? [] : [oldest.value];
  }

  /**
   * The oldest ended prompts, at most one share. If there are fewer, it also finds when the next
   * one ends.
   */
  #endedFirst(now: Ms): readonly Prompt[] {
    const share = Math.ceil(this.#limit / SWEEP_SHARE);
    const ended: Prompt[] = [];
    let firstEnd: Ms = Number.POSITIVE_INFINITY;
    for (const prompt of this.#byId.values()) {
      if (endOf(prompt) > now) firstEnd = Math.min(firstEnd, endOf(prompt));
      else if (ended.push(prompt) === share) return ended;
    }
    this.#firstEnd = firstEnd;
    return ended;
  }

  #remove(prompt: Prompt): void {
    this.#byId.delete(prompt.id);
    forget(this.#byRequest, requestKey(prompt), prompt.id);
    if (prompt.kind === 'redirect') {
      if (prompt.session !== null) this.#bySession.delete(prompt.session.hashedState);
      return;
    }
    forget(this.#byTransaction, prompt.transactionId, prompt.id);
    forget(this.#byPerson, personKey(prompt), prompt.id);
  }
}

function endOf(prompt: Prompt): Ms {
  return (prompt.decided ?? endByItself(prompt)).at;
}

function pushOnly(prompt: Prompt | null): PushPrompt | null {
  return prompt?.kind === 'push' ? prompt : null;
}

/** The same request is another one in another scope. */
function requestKey({ kind, scope, requestId }: AskedBy): string {
  return `${kind} ${scope} ${plainId(requestId)}`;
}

/** The same number is another person in another scope. */
function personKey({ scope, nationalId }: Pick<PushPrompt, 'scope' | 'nationalId'>): string {
  return `${scope} ${nationalId}`;
}

/** A newer prompt may use the same key; then the entry stays. */
function forget(index: Map<string, string>, key: string, id: string): void {
  if (index.get(key) === id) index.delete(key);
}
