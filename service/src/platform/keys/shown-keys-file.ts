import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere, replaceDurably } from '../files/durable-file.ts';

export const SHOWN_KEYS_FILE = 'service-keys.json';

/**
 * The numbers of the keys that the service of a data folder writes with, for commands beside it. They
 * count while the folder is locked by a service.
 */
export class ShownKeysFile {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = join(folder, SHOWN_KEYS_FILE);
  }

  /** Null where the file is not there, or says nothing. @throws Error when it can't be read */
  read(): readonly number[] | null {
    const text = readIfThere(this.#path);
    return text === null ? null : numbersIn(text);
  }

  /** At a start, also on a full disk. @throws Error when what an earlier process has shown stays */
  begin(numbers: readonly number[]): void {
    try {
      this.#write(numbers);
    } catch {
      rmSync(this.#path, { force: true });
    }
  }

  /** @throws Error when a number can't be shown; what was shown before is shown then */
  show(numbers: readonly number[]): void {
    const shown = this.read() ?? [];
    try {
      this.#write(numbers);
    } catch (error) {
      // That a key is not written with any more may be shown until the next start.
      if (!numbers.every((number) => shown.includes(number))) throw error;
    }
  }

  #write(numbers: readonly number[]): void {
    const text = `${JSON.stringify({ writes: numbers })}\n`;
    if (readIfThere(this.#path) !== text) replaceDurably(this.#path, text);
  }
}

function numbersIn(text: string): readonly number[] | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('writes' in value)) return null;
    const { writes } = value;
    if (!Array.isArray(writes) || writes.length === 0) return null;
    const numbers: readonly unknown[] = writes;
    return numbers.every((number) => typeof number === 'number') ? numbers : null;
  } catch {
    return null;
  }
}
