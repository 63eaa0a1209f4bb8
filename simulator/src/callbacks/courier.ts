import type { Engine } from '../engine/engine.ts';
import type { Ms } from '../engine/ports.ts';
import { endByItself, type Prompt, type PushPrompt } from '../engine/prompts.ts';
import { effectOn, LATE_MS } from '../engine/result.ts';
import type { Answered } from '../engine/token-desk.ts';
import type { TokenSigner } from '../keys/token-signer.ts';
import type { Post, Timer } from '../platform.ts';

export interface CourierParts {
  readonly engine: Engine;
  readonly signer: TokenSigner;
  readonly timer: Timer;
  readonly post: Post;
  /** The one address that anything is ever sent to. */
  readonly address: string;
  readonly log: CourierLog;
}

export interface CourierLog {
  warn(facts: object, message: string): void;
}

/** A provider needs a moment to sign, so that the answer to the request is there first. */
const LAG_MS: Ms = 100;
/** A relying party may say nothing to an early result before it has the answer to its request. */
const EARLY_PATIENCE_MS: Ms = 500;
/** What is waited before each further attempt; with the last one it is given up. */
const BACKOFF_MS: readonly Ms[] = [1000, 2000, 4000, 8000];
const UNDER_WAY_MAX = 1000;

/** Brings the signed results of pushes to the relying party, now or when their time comes. */
export class Courier {
  readonly #parts: CourierParts;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<void>>();

  constructor(parts: CourierParts) {
    this.#parts = parts;
    parts.engine.watch((prompt) => this.#expect(prompt));
  }

  /** For the outcome whose result overtakes the answer to the request; nothing for all others. */
  async deliverBeforeReply(promptId: string): Promise<void> {
    const prompt = this.#parts.engine.prompt(promptId);
    const answer = prompt === null ? null : answered(prompt);
    if (prompt?.kind !== 'push' || answer === null || !isEarly(prompt, answer)) return;
    const body = await this.#body(prompt, answer);
    const attempt = this.#attempt(body);
    this.#track(async () => {
      if (!(await attempt)) await this.#insist(body);
    });
    // The answer to the request does not wait for somebody who is down, or who waits for it.
    await Promise.race([attempt, this.#wait(EARLY_PATIENCE_MS)]);
  }

  /** What sleeps is dropped, what is on its way may arrive. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.settled();
  }

  /** When nothing is under way any more. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Nothing to do for a sign-in page, and nothing when an answer is neither there nor to come. */
  #expect(prompt: Prompt): void {
    const answer = answered(prompt);
    if (prompt.kind !== 'push' || answer === null || isEarly(prompt, answer)) return;
    if (effectOn(answer).delivery !== 'never') this.#track(() => this.#deliver(prompt, answer));
  }

  #track(work: () => Promise<void>): void {
    if (this.#underWay.size >= UNDER_WAY_MAX) {
      this.#parts.log.warn({}, 'too many callbacks are under way: one is dropped');
      return;
    }
    const task = work()
      .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'a callback failed'))
      .finally(() => this.#underWay.delete(task));
    this.#underWay.add(task);
  }

  async #deliver(prompt: PushPrompt, answer: Answered): Promise<void> {
    const { delivery } = effectOn(answer);
    const { engine } = this.#parts;
    const due = Math.max(answer.at, engine.now()) + (delivery === 'late' ? LATE_MS : LAG_MS);
    if (!(await this.#wait(due - engine.now()))) return;
    // Somebody may have been faster than the plan, or put the phone aside.
    const latest = engine.prompt(prompt.id);
    if (latest !== null && answered(latest) !== answer) return;
    const body = await this.#body(prompt, answer);
    for (let copies = delivery === 'twice' ? 2 : 1; copies > 0; copies -= 1) {
      if (!(await this.#attempt(body))) await this.#insist(body);
    }
  }

  /** Tries again while the relying party is down or failing. */
  async #insist(body: string): Promise<void> {
    for (const pause of BACKOFF_MS) {
      if (!(await this.#wait(pause)) || (await this.#attempt(body))) return;
    }
    this.#parts.log.warn({ attempts: BACKOFF_MS.length + 1 }, 'a callback could not be delivered');
  }

  /** Whether that was the last word: every answer is, but that of a server that fails. */
  async #attempt(body: string): Promise<boolean> {
    const status = await this.#parts.post(this.#parts.address, body);
    if (status === null || status >= 500) return false;
    if (status >= 300) this.#parts.log.warn({ status }, 'a callback was not accepted');
    return true;
  }

  async #body(prompt: PushPrompt, answer: Answered): Promise<string> {
    const { transactionId: transId, requestId } = prompt;
    const token = await this.#parts.signer.sign(this.#parts.engine.pushToken(prompt, answer));
    return JSON.stringify({ token, transId, requestId });
  }

  /** Whether there is still somebody to go on after the wait. */
  async #wait(ms: Ms): Promise<boolean> {
    await this.#parts.timer.sleep(ms, this.#closing.signal);
    return !this.#closing.signal.aborted;
  }
}

/** The answer that a person has given or is going to give; null when there is none to come. */
function answered(prompt: Prompt): Answered | null {
  const end = prompt.decided ?? endByItself(prompt);
  return end.state === 'expired' ? null : end;
}

/** A result overtakes the answer to a request only where nobody had to decide in between. */
function isEarly(prompt: PushPrompt, answer: Answered): boolean {
  return prompt.decided === null && effectOn(answer).delivery === 'before_reply';
}
