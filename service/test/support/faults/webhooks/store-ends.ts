import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from '../../../../../scripts/compile-cache.mjs';

const PROGRAM = fileURLToPath(new URL('ends-program.ts', import.meta.url));

interface StoreEndsOptions {
  /** Of the service whose store it is. */
  readonly settings: Readonly<Record<string, string>>;
  readonly clients: readonly string[];
  readonly onEnded: (attemptId: string) => void;
}

/**
 * Ends of attempts by another process on the store of a service, at a rate that requests to the
 * service do not reach. It is killed too, and goes on.
 */
export class StoreEnds {
  readonly #options: StoreEndsOptions;
  #child: ChildProcess | null = null;
  #ended = 0;

  constructor(options: StoreEndsOptions) {
    this.#options = options;
  }

  /** Until so many are acknowledged. @throws Error where the process has failed by itself */
  async make(count: number): Promise<void> {
    while (this.#ended < count) {
      const { code, signal, err } = await this.#run(count - this.#ended);
      if (code !== 0 && signal !== 'SIGKILL') throw new Error(`ends by the store: ${err}`);
    }
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  async #run(count: number) {
    const { settings, clients, onEnded } = this.#options;
    const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings };
    const child = spawn(process.execPath, [PROGRAM, String(count), ...clients], { env });
    this.#child = child;
    const err = text(child.stderr);
    // A killed process may leave a part of a line.
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      if (line.length !== ID_LENGTH) return;
      this.#ended += 1;
      onEnded(line);
    });
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    this.#child = null;
    return { code, signal, err: await err };
  }
}

const ID_LENGTH = 36;
