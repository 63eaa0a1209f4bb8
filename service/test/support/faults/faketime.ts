import { spawnSync } from 'node:child_process';
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderOfRun } from '../canaries/run-folder.ts';

const INSTALL = ['apt-get', 'install', '--yes', 'faketime'] as const;

/**
 * The library that changes a program's clock (Debian's package `faketime`). It is installed if we
 * are root and have apt; null if it is not available.
 */
export function findFaketime(): string | null {
  const found = installed();
  if (found !== null || process.platform !== 'linux' || process.getuid?.() !== 0) return found;
  const [command, ...args] = INSTALL;
  spawnSync(command, args, { stdio: 'ignore' });
  return installed();
}

function installed(): string | null {
  return globSync('/usr/lib/*/faketime/libfaketime.so.1')[0] ?? null;
}

/** Changes the clock of one program while it runs. Its monotonic clock stays the real one. */
export class FakeTime {
  readonly #file = join(folderOfRun('time'), 'offset');
  readonly #library: string;

  constructor(library: string) {
    this.#library = library;
    this.set(0);
  }

  set(offsetSeconds: number): void {
    writeFileSync(this.#file, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}\n`);
  }

  get environment(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_NO_CACHE: '1',
    };
  }
}
