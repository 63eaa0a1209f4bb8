import type { ControlApi } from './control-api.ts';
import { guarded, optionsOf } from './options.ts';
import { TIMEOUT, type WaitOptions } from './wait-for.ts';
import { has } from './wire.ts';

/** A webhook as the application under test would get it: give `headers` and `body` to its handler. */
export interface ReceivedWebhook {
  /** The same as the header `webhook-id`. */
  readonly id: string;
  /** The id of the client. */
  readonly client: string;
  /** `attempt.authenticated` and so on. */
  readonly type: string;
  readonly data: {
    readonly attemptId?: string;
    readonly status?: string;
    readonly reason?: string;
    readonly userId?: number;
  };
  /** In lower case, with the signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes that are signed, as text. */
  readonly body: string;
}

/** What the application under test is told. */
export interface Webhooks {
  /**
   * The next webhook since `startMiftah` or `connectMiftah`, oldest first; each is given once. Of a
   * client without `webhooks`, and an instance that was started here, only what happens after the
   * first call.
   * @throws Error when none has come in the time
   */
  next(options?: WaitOptions): Promise<ReceivedWebhook>;
}

/** Less than the five seconds that Vitest gives a test. */
const DEFAULT_MS = 4000;
const SECOND_MS = 1000;
/** The longest wait of one request. */
const MOST_SECONDS = 30;

interface Heard {
  readonly cursor: string;
  readonly webhooks: readonly unknown[];
}

/** The webhooks of a scope, each once. */
export class WebhookQueue implements Webhooks {
  readonly #control: ControlApi;
  readonly #waiting: ReceivedWebhook[] = [];
  #cursor: string | undefined;
  /** One call after the other, so that none is given twice. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(control: ControlApi) {
    this.#control = control;
  }

  /** From now on: others may have used the instance before. A simulator alone sends no webhooks. */
  async begin(): Promise<void> {
    const heard = await this.#ask(0).catch(() => null);
    this.#cursor = heard?.cursor;
  }

  /** Leaves out what was before. The instance has forgotten it too. */
  forget(): void {
    this.#waiting.length = 0;
  }

  next({ timeout = DEFAULT_MS }: WaitOptions = {}): Promise<ReceivedWebhook> {
    const next = this.#last.catch(() => undefined).then(() => this.#next(timeout));
    this.#last = next;
    return next;
  }

  async #next(timeout: number): Promise<ReceivedWebhook> {
    const all = Math.ceil(timeout / SECOND_MS);
    for (let left = all; this.#waiting.length === 0 && left >= 0; left -= MOST_SECONDS) {
      const { cursor, webhooks } = await this.#ask(Math.min(left, MOST_SECONDS));
      this.#cursor = cursor;
      this.#waiting.push(...webhooks.filter((one) => has<ReceivedWebhook>(one, 'id', 'body')));
    }
    const found = this.#waiting.shift();
    if (found === undefined) throw new Error(nothingCame(all * SECOND_MS));
    return found;
  }

  async #ask(seconds: number): Promise<Heard> {
    const query = { after: this.#cursor, timeout: String(seconds) };
    const heard = await this.#control.call('listWebhooks', { query });
    if (has<Heard>(heard, 'cursor', 'webhooks') && Array.isArray(heard.webhooks)) return heard;
    throw new Error('GET /simulator/webhooks has answered without a list.');
  }
}

export const webhooksOf = (queue: WebhookQueue): Webhooks =>
  guarded<Webhooks>({ next: (options) => queue.next(options) }, RULES, 'webhooks.');

const RULES = { next: [optionsOf<WaitOptions>({ timeout: TIMEOUT })] } as const;

function nothingCame(ms: number): string {
  return (
    `No webhook has come in ${ms} ms. One is sent when an attempt ends; of an expiry some 20 seconds ` +
    "after it, so clock.advance('6m') is enough. Of a client without webhooks only what happens after " +
    'the first call of webhooks.next() comes.'
  );
}
