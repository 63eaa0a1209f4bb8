import type { ServerResponse } from 'node:http';
import type { Ms } from '../engine/ports.ts';
import type { MovableTime } from '../movable-time.ts';
import type { Timer } from '../timer.ts';
import { isoTimestamp } from '../http/timestamp.ts';
import type { AllPrompts } from './all-prompts.ts';
import { promptRow } from './wire.ts';

/** How often it is looked. A prompt is to be seen within a second. */
const STEP_MS: Ms = 250;
const HEARTBEAT_MS: Ms = 15_000;
const MOST_READERS = 100;

/** One open stream. */
interface Reader {
  readonly scope: string;
  readonly response: ServerResponse;
  /** What it was told last, in the form in which it is compared. */
  told: string;
  silentMs: Ms;
}

interface NewsParts {
  readonly prompts: AllPrompts;
  readonly time: MovableTime;
  readonly timer: Timer;
}

/**
 * Tells everybody who watches which prompts wait in their scope: at once, and whenever that or the
 * clock has changed. Each event has all of them, so a slow reader misses nothing by skipping one.
 */
export class PromptNews {
  readonly #parts: NewsParts;
  readonly #readers = new Set<Reader>();
  readonly #closing = new AbortController();
  #pause = new AbortController();
  #isTelling = false;

  constructor(parts: NewsParts) {
    this.#parts = parts;
  }

  get isFull(): boolean {
    return this.#readers.size >= MOST_READERS;
  }

  /** Takes an answer whose headers are sent. It ends with its connection, or with `close`. */
  add(response: ServerResponse, scope: string): void {
    const reader = { scope, response, told: '', silentMs: 0 };
    response.once('close', () => this.#readers.delete(reader));
    this.#readers.add(reader);
    this.#pause.abort();
    if (!this.#isTelling) void this.#tellAll();
  }

  close(): void {
    this.#closing.abort();
    for (const { response } of this.#readers) response.end();
    this.#readers.clear();
  }

  /** One loop for all readers. A new reader ends its pause. */
  async #tellAll(): Promise<void> {
    this.#isTelling = true;
    while (this.#readers.size > 0 && !this.#closing.signal.aborted) {
      this.#pause = new AbortController();
      await this.#tell([...this.#readers]);
      const signal = AbortSignal.any([this.#closing.signal, this.#pause.signal]);
      await this.#parts.timer.sleep(STEP_MS, signal);
    }
    this.#isTelling = false;
  }

  async #tell(readers: readonly Reader[]): Promise<void> {
    const news = new Map<string, string | null>();
    for (const reader of readers) {
      const { scope } = reader;
      if (!news.has(scope)) news.set(scope, await this.#newsOf(scope));
      this.#write(reader, news.get(scope) ?? null);
    }
  }

  /** Null where the store can't be read now: the next look tries again. */
  async #newsOf(scope: string): Promise<string | null> {
    try {
      const waiting = await this.#parts.prompts.waiting({ scope, requestId: null });
      return JSON.stringify(waiting.map(promptRow));
    } catch {
      return null;
    }
  }

  #write(reader: Reader, rows: string | null): void {
    const { response } = reader;
    if (response.destroyed || response.writableEnded || response.writableNeedDrain) return;
    const { now, isFrozen, aheadMs } = this.#parts.time.state();
    const told = `${rows} ${isFrozen ? now : aheadMs}`;
    reader.silentMs += STEP_MS;
    if (rows !== null && told !== reader.told) {
      const time = `"now":"${isoTimestamp(now)}","frozen":${isFrozen}`;
      response.write(`event: prompts\ndata: {${time},"data":${rows}}\n\n`);
      reader.told = told;
      reader.silentMs = 0;
    } else if (reader.silentMs >= HEARTBEAT_MS) {
      response.write(':\n\n');
      reader.silentMs = 0;
    }
  }
}
