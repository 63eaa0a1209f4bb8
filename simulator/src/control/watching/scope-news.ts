import type { ServerResponse } from 'node:http';
import type { Ms } from '../../engine/ports.ts';
import type { MovableTime } from '../../platform/movable-time.ts';
import type { Timer } from '../../platform/timer.ts';
import { isoTimestamp } from '../../http/timestamp.ts';
import type { AllPrompts } from '../all-prompts.ts';
import { newsOf, type AttemptNews, type SeenRows, type Told } from './attempt-news.ts';
import { Places } from './places.ts';
import { promptRow } from '../wire.ts';

/** How often it is looked. A prompt is to be seen within a second. */
const STEP_MS: Ms = 250;
const HEARTBEAT_MS: Ms = 15_000;
const MOST_READERS = { all: 100, ofAddress: 20 } as const;
/** A reader that takes nothing for so long is gone. */
const STALLED_MS: Ms = 60_000;

/** One open stream. */
interface Reader {
  readonly scope: string;
  readonly response: ServerResponse;
  /** What it was told last of prompts and of the clock, in the form in which it is compared. */
  prompts: string;
  /** What it was told of attempts; null for one who watches prompts only. */
  readonly attempts: Told | null;
  readonly isOnce: boolean;
  silentMs: Ms;
  stalledMs: Ms;
}

interface Wish {
  readonly scope: string;
  /** The network address of the reader. */
  readonly address: string;
  readonly wantsAttempts?: boolean;
  /** Whether the answer ends when it has told what is now. Such a reader takes no place. */
  readonly isOnce?: boolean;
}

/** What a scope has to tell; null where the store can't be read now. */
interface News {
  readonly prompts: string | null;
  readonly attempts: SeenRows | null;
}

interface NewsParts {
  readonly attempts: AttemptNews;
  readonly prompts: AllPrompts;
  readonly time: MovableTime;
  readonly timer: Timer;
}

/**
 * Tells everybody who watches which prompts wait in their scope: at once, and whenever that or the
 * clock has changed. Each event has all of them, so a slow reader misses nothing by skipping one. Who
 * asks for attempts is told of the newest, and then of those that have changed, or again of the newest
 * when some have gone.
 */
export class ScopeNews {
  readonly #parts: NewsParts;
  readonly #readers = new Set<Reader>();
  readonly #places = new Places(MOST_READERS);
  readonly #closing = new AbortController();
  #pause = new AbortController();
  #isTelling = false;

  constructor(parts: NewsParts) {
    this.#parts = parts;
  }

  /** Whether there is no place for one more reader of an address. */
  isFullFor(address: string): boolean {
    return this.#places.isFullFor(address);
  }

  /** Takes an answer whose headers are sent. It ends with its connection, or with `close`. */
  add(response: ServerResponse, wish: Wish): void {
    const { scope, address, wantsAttempts = false, isOnce = false } = wish;
    const attempts = wantsAttempts ? { rows: new Map<string, string>(), losses: null } : null;
    const reader = { scope, response, prompts: '', attempts, isOnce, silentMs: 0, stalledMs: 0 };
    if (!isOnce) this.#places.take(address);
    response.once('close', () => {
      this.#readers.delete(reader);
      if (!isOnce) this.#places.leave(address);
    });
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
    const watched = readers.filter(({ attempts }) => attempts !== null).map(({ scope }) => scope);
    const withAttempts = new Set(watched);
    this.#parts.attempts.forgetAllBut(withAttempts);
    const news = new Map<string, News>();
    for (const reader of readers) {
      const { scope } = reader;
      const found = news.get(scope) ?? (await this.#newsOf(scope, withAttempts.has(scope)));
      news.set(scope, found);
      this.#write(reader, found);
    }
  }

  /** Where the store can't be read now, the next look tries again. */
  async #newsOf(scope: string, hasAttempts: boolean): Promise<News> {
    const { prompts, attempts } = this.#parts;
    const waiting = prompts.waiting({ scope, requestId: null });
    const found = await Promise.allSettled([waiting, hasAttempts ? attempts.look(scope) : null]);
    const [asked, looked] = found;
    return {
      prompts: asked.status === 'fulfilled' ? JSON.stringify(asked.value.map(promptRow)) : null,
      attempts: looked.status === 'fulfilled' ? looked.value : null,
    };
  }

  #write(reader: Reader, { prompts, attempts }: News): void {
    const { response } = reader;
    if (response.destroyed || response.writableEnded || isStalled(reader)) return;
    const { now, isFrozen, aheadMs } = this.#parts.time.state();
    const told = `${prompts} ${isFrozen ? now : aheadMs}`;
    reader.silentMs += STEP_MS;
    if (prompts !== null && told !== reader.prompts) {
      const time = `"now":"${isoTimestamp(now)}","frozen":${isFrozen}`;
      send(reader, 'prompts', `{${time},"data":${prompts}}`);
      reader.prompts = told;
    }
    const hasBoth = attempts !== null && reader.attempts !== null;
    const news = hasBoth ? newsOf(attempts, reader.attempts) : null;
    if (news !== null) {
      const head = `"now":"${isoTimestamp(now)}","all":${news.all}`;
      send(reader, 'attempts', `{${head},"data":[${news.rows.join(',')}]}`);
    }
    const isTold = reader.prompts !== '' && reader.attempts?.losses !== null;
    if (reader.isOnce && isTold) response.end();
    else beat(reader);
  }
}

/** Whether it has not taken what was written; the connection of one that never does is ended. */
function isStalled(reader: Reader): boolean {
  if (!reader.response.writableNeedDrain) {
    reader.stalledMs = 0;
    return false;
  }
  reader.stalledMs += STEP_MS;
  if (reader.stalledMs >= STALLED_MS) reader.response.destroy();
  return true;
}

/** A connection on which nothing is sent could be closed by what is between. */
function beat(reader: Reader): void {
  if (reader.silentMs < HEARTBEAT_MS) return;
  reader.response.write(':\n\n');
  reader.silentMs = 0;
}

function send(reader: Reader, event: string, data: string): void {
  reader.response.write(`event: ${event}\ndata: ${data}\n\n`);
  reader.silentMs = 0;
}
