import type { Engine } from '../engine/engine.ts';
import type { Ms } from '../engine/ports.ts';
import { outcomeOf, effectOn, LATE_MS } from '../engine/outcomes/outcome-of.ts';
import {
  endByItself,
  type Prompt,
  type PromptEnd,
  type PushPrompt,
} from '../engine/prompts/prompts.ts';
import type { TokenSigner } from '../keys/token-signer.ts';
import type { MovableTime } from '../platform/movable-time.ts';
import type { PostResult } from '../journal/record-post.ts';
import type { Timer } from '../platform/timer.ts';

export interface ResultSenderParts {
  readonly engine: Engine;
  readonly signer: TokenSigner;
  readonly timer: Timer;
  /** Tests move it: the end of a push may come sooner than planned. */
  readonly time: Pick<MovableTime, 'until'>;
  readonly post: PostResult;
  /** The only address to which anything is sent. */
  readonly address: string;
  readonly log: ResultSenderLog;
}

export interface ResultSenderLog {
  warn(facts: object, message: string): void;
}

/**
 * The delay from the person's answer to its result, so that the answer to the push request comes
 * first.
 */
const LAG_MS: Ms = 100;
/**
 * How long to wait for an early result to be accepted: a relying party may accept it only after it
 * has got the answer to its push.
 */
const EARLY_PATIENCE_MS: Ms = 500;
/** The pause before each repetition. After the last repetition the result is dropped. */
const BACKOFF_MS: readonly Ms[] = [1000, 2000, 4000, 8000];
const UNDER_WAY_MAX = 1000;

/** Sends the signed results of pushes to the relying party when they are due. */
export class ResultSender {
  readonly #parts: ResultSenderParts;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<void>>();

  constructor(parts: ResultSenderParts) {
    this.#parts = parts;
    parts.engine.watch((prompt) => this.#expect(prompt));
  }

  /**
   * For the outcome whose result arrives before the answer to the request; does nothing for others.
   */
  async deliverBeforeReply(promptId: string): Promise<void> {
    const prompt = this.#parts.engine.prompt(promptId);
    const end = prompt === null ? null : toldEnd(prompt);
    if (prompt?.kind !== 'push' || end === null || !isEarly(prompt, end)) return;
    const body = await this.#body(prompt, end);
    const attempt = this.#attempt(prompt, body);
    this.#track(async () => {
      if (!(await attempt)) await this.#insist(prompt, body);
    });
    // Does not wait longer: the relying party may be down, or may be waiting for the answer to its
    // push.
    await Promise.race([attempt, this.#wait(EARLY_PATIENCE_MS)]);
  }

  /** Drops results that are not due yet, and finishes those that are being sent. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.settled();
  }

  /** Resolves when nothing is in progress any more. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Schedules the result of a push. A sign-in page has none, and some ends are not sent. */
  #expect(prompt: Prompt): void {
    const end = toldEnd(prompt);
    // An ignored prompt was already scheduled when it appeared.
    const isKnown = prompt.ignored && prompt.decided === null;
    if (prompt.kind !== 'push' || end === null || isKnown || isEarly(prompt, end)) return;
    if (effectOn(prompt, end).delivery !== 'never') this.#track(() => this.#deliver(prompt, end));
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

  async #deliver(prompt: PushPrompt, end: PromptEnd): Promise<void> {
    const { delivery } = effectOn(prompt, end);
    const { engine, time } = this.#parts;
    const due = Math.max(end.at, engine.now()) + (delivery === 'late' ? LATE_MS - LAG_MS : 0);
    await time.until(due, this.#closing.signal);
    if (!(await this.#wait(LAG_MS))) return;
    // Meanwhile somebody may have decided or ignored the prompt.
    const latest = engine.prompt(prompt.id);
    if (latest !== null && !isSame(toldEnd(latest), end)) return;
    const body = await this.#body(prompt, end);
    for (let copies = delivery === 'twice' ? 2 : 1; copies > 0; copies -= 1) {
      if (!(await this.#attempt(prompt, body))) await this.#insist(prompt, body);
    }
  }

  /** Repeats while the relying party is down or answers with an error. */
  async #insist(prompt: PushPrompt, body: string): Promise<void> {
    for (const pause of BACKOFF_MS) {
      if (!(await this.#wait(pause)) || (await this.#attempt(prompt, body))) return;
    }
    this.#parts.log.warn({ attempts: BACKOFF_MS.length + 1 }, 'a callback could not be delivered');
  }

  /** Whether the result was delivered: after any answer except a 5xx. */
  async #attempt(prompt: PushPrompt, body: string): Promise<boolean> {
    const status = await this.#parts.post(this.#parts.address, body, prompt);
    if (status === null || status >= 500) return false;
    if (status >= 300) this.#parts.log.warn({ status }, 'a callback was not accepted');
    return true;
  }

  async #body(prompt: PushPrompt, end: PromptEnd): Promise<string> {
    const { transactionId: transId, requestId } = prompt;
    const token = await this.#parts.signer.sign(this.#parts.engine.pushToken(prompt, end));
    return JSON.stringify({ token, transId, requestId });
  }

  /** False if the sender was closed meanwhile. */
  async #wait(ms: Ms): Promise<boolean> {
    const { signal } = this.#closing;
    if (!signal.aborted) await this.#parts.timer.sleep(ms, signal);
    return !signal.aborted;
  }
}

/** The end of a push that is sent to the relying party; null if there is none or it is not sent. */
function toldEnd(prompt: Prompt): PromptEnd | null {
  if (prompt.kind !== 'push') return null;
  const end = prompt.decided ?? endByItself(prompt);
  const isTold = end.state !== 'expired' || outcomeOf(prompt, end)?.tellsExpiry === true;
  return isTold ? end : null;
}

function isSame(one: PromptEnd | null, other: PromptEnd): boolean {
  return one?.state === other.state && one.at === other.at;
}

/** A result comes before the answer to its request only if nobody had to decide in between. */
function isEarly(prompt: PushPrompt, end: PromptEnd): boolean {
  return prompt.decided === null && effectOn(prompt, end).delivery === 'before_reply';
}
