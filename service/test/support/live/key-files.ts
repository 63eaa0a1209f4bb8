import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../at-end.ts';

/** As an operator replaces it: never half of it. */
export function replaceFile(path: string, content: string): void {
  writeFileSync(`${path}.next`, content, { mode: 0o600 });
  renameSync(`${path}.next`, path);
}

/** The files of the service's own keys at one instance. */
export class KeyFiles {
  readonly #folder = temporaryFolder('keys');

  get current(): string {
    return join(this.#folder, 'secret-key');
  }

  get retired(): string {
    return join(this.#folder, 'retired-secret-keys');
  }

  get settings(): Record<string, string> {
    const files = { SECRET_KEY_FILE: this.current, RETIRED_SECRET_KEYS_FILE: this.retired };
    return { SECRET_KEY: '', RETIRED_SECRET_KEYS: '', ...files };
  }

  write(current: string, ...retired: readonly string[]): void {
    replaceFile(this.current, `${current}\n`);
    replaceFile(this.retired, `${retired.join(',')}\n`);
  }
}

export const READ_ANEW = 'read anew what may change while the service runs';
export const STAYS = 'everything stays as it was';

/** The lines of a log with this message. */
export const linesOf = (log: string, message: string) =>
  log
    .split('\n')
    .filter((line) => line.includes(message))
    .map((line) => JSON.parse(line) as { reason?: string; settings?: readonly string[] });
