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

  constructor(parts: NewsParts) {
    this.#parts = parts;
  }

  get isFull(): boolean {
    return this.#readers.size >= MOST_READERS;
  }

  /** Its headers are sent. It ends with its connection, or when this is closed. */
  add(response: ServerResponse, scope: string): void {
    const reader = { scope, response, told: '', silentMs: 0 };
    response.once('close', () => this.#readers.delete(reader));
    this.#readers.add(reader);
    if (this.#readers.size === 1) void this.#tellAll();
    else void this.#tell([reader]);
  }

  close(): void {
    this.#closing.abort();
    for (const { response } of this.#readers) response.end();
    this.#readers.clear();
  }

  async #tellAll(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#readers.size > 0 && !signal.aborted) {
      await this.#tell([...this.#readers]);
      await this.#parts.timer.sleep(STEP_MS, signal);
    }
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
    const told = `${rows} ${isFrozen ? now : Math.round(aheadMs / 1000)}`;
    reader.silentMs += STEP_MS;
    if (rows !== null && told !== reader.told) {
      response.write(`event: prompts\ndata: {"now":"${isoTimestamp(now)}","data":${rows}}\n\n`);
      reader.told = told;
      reader.silentMs = 0;
    } else if (reader.silentMs >= HEARTBEAT_MS) {
      response.write(':\n\n');
      reader.silentMs = 0;
    }
  }
}
