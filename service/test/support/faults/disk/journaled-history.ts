import { statSync } from 'node:fs';
import type { Started } from '../../programs/api-client.ts';
import { History, type KnownAttempt } from '../history.ts';

interface Entry {
  /** The length of the disk's log when the application had its answer. */
  readonly position: number;
  readonly learn: (known: KnownAttempt[]) => void;
}

/**
 * Also remembers how far the log of the disk was when the application learnt each thing. All that
 * an answer relies on was flushed before the answer, so its records are before that position.
 */
export class JournaledHistory extends History {
  readonly #log: string;
  readonly #entries: Entry[] = [];

  constructor(log: string) {
    super();
    this.#log = log;
  }

  /** The positions at which something was learnt, in order. */
  get positions(): readonly number[] {
    return this.#entries.map(({ position }) => position);
  }

  override add(started: Started, flow: KnownAttempt['flow']): KnownAttempt {
    const plain = super.add(started, flow);
    const place = this.attempts.length - 1;
    const first = { ...plain, tokens: new Set<string>() };
    this.#note((known) => void (known[place] = first));
    const noted = new Proxy(plain, {
      set: (target, name, value) => {
        this.#note((known) => void Reflect.set(known[place] ?? {}, name, value));
        return Reflect.set(target, name, value);
      },
    });
    this.attempts[place] = noted;
    return noted;
  }

  override sawToken(attempt: KnownAttempt, token: string): void {
    const place = this.attempts.indexOf(attempt);
    this.#note((known) => void known[place]?.tokens.add(token));
    super.sawToken(attempt, token);
  }

  replay(): HistoryReplay {
    return new HistoryReplay(this.#entries);
  }

  #note(learn: Entry['learn']): void {
    this.#entries.push({ position: statSync(this.#log).size, learn });
  }
}

/** Goes through what the applications learnt, from the first answer to the last. */
export class HistoryReplay {
  readonly #entries: readonly Entry[];
  readonly #known: KnownAttempt[] = [];
  #done = 0;

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  /** What they knew at this position of the log, which is never before the last one asked for. */
  upTo(position: number): readonly KnownAttempt[] {
    for (let next = this.#next(position); next !== null; next = this.#next(position)) {
      next.learn(this.#known);
      this.#done += 1;
    }
    return this.#known;
  }

  #next(position: number): Entry | null {
    const entry = this.#entries[this.#done];
    return entry !== undefined && entry.position <= position ? entry : null;
  }
}
