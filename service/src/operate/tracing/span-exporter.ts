import { SECOND_MS, type Ms } from '../../values/time.ts';
import type { Timer } from '../../platform/runtime.port.ts';
import { encodeSpans, type FinishedSpan, type Resource } from './otlp.ts';

export interface SpanExporterOptions {
  /** The address of the collector, with its path. */
  readonly url: string;
  readonly resource: Resource;
  readonly timer: Timer;
  /** Told once, until spans arrive again. */
  readonly onLost: (reason: string) => void;
}

const SEND_EVERY_MS: Ms = SECOND_MS;
const MAX_BATCH = 512;
/** Further spans are dropped: a collector that is away must not fill the memory. */
const MAX_WAITING = 2048;
const SEND_LIMIT_MS: Ms = 5 * SECOND_MS;
const CLOSE_LIMIT_MS: Ms = 2 * SECOND_MS;

/** Sends spans to a collector by OTLP over HTTP, some at a time. Requests never wait for it. */
export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #closing = new AbortController();
  #waiting: FinishedSpan[] = [];
  #sending: Promise<void> | null = null;
  #stopTimer: (() => void) | null = null;
  #isLosing = false;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
  }

  add(span: FinishedSpan): void {
    if (this.#waiting.length >= MAX_WAITING) return this.#lose('the collector is too slow');
    this.#waiting.push(span);
    if (this.#waiting.length >= MAX_BATCH) this.#send();
    else this.#sendLater();
  }

  async close(): Promise<void> {
    const { timer } = this.#options;
    const cancel = timer.after(CLOSE_LIMIT_MS, () => this.#closing.abort());
    this.#stopTimer?.();
    while (this.#waiting.length > 0 && !this.#closing.signal.aborted) {
      this.#send();
      await this.#sending;
    }
    await this.#sending;
    cancel();
  }

  #sendLater(): void {
    this.#stopTimer ??= this.#options.timer.after(SEND_EVERY_MS, () => {
      this.#stopTimer = null;
      this.#send();
    });
  }

  #send(): void {
    if (this.#sending !== null || this.#waiting.length === 0) return;
    const batch = this.#waiting.splice(0, MAX_BATCH);
    this.#sending = this.#post(batch).finally(() => {
      this.#sending = null;
      if (this.#waiting.length > 0) this.#sendLater();
    });
  }

  /** Spans that can't be sent are lost: they are worth neither memory nor a second try. */
  async #post(batch: readonly FinishedSpan[]): Promise<void> {
    const { url, resource } = this.#options;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: encodeSpans(resource, batch),
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(SEND_LIMIT_MS), this.#closing.signal]),
      });
      await response.body?.cancel();
      if (response.ok) this.#isLosing = false;
      else this.#lose(`the collector answered ${response.status}`);
    } catch {
      // The message may quote the address.
      this.#lose('the collector can not be reached');
    }
  }

  #lose(reason: string): void {
    if (!this.#isLosing) this.#options.onLost(reason);
    this.#isLosing = true;
  }
}
